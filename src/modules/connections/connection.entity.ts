import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType } from '@mikro-orm/postgresql';
import { clock } from '../../kernel/clock.js';
import { type Id, newId } from '../../kernel/ids.js';
import { Audited } from '../../platform/audit/audited.js';
import { Project } from '../tenancy/project.entity.js';
import { ConnectionRepository } from './connection.repository.js';
import type { JsonObject } from './secret-members.js';

export const PROVIDERS = ['API', 'Vendor1', 'CloudVendor1', 'Vendor2'] as const;
export type Provider = (typeof PROVIDERS)[number];

export const STATUSES = ['ACTIVE', 'INACTIVE'] as const;
export type Status = (typeof STATUSES)[number];

export interface NewConnection {
  name: string;
  provider: Provider;
  model: string;
  modelType: string | null;
  status: Status;
}

/** How a project reaches a model elsewhere. What of its fields is secret stands apart, sealed. */
@Audited({ kind: 'connection', project: 'project', secrets: ['secretsSealed'] })
@Entity({ tableName: 'connection', repository: () => ConnectionRepository })
export class Connection {
  [EntityRepositoryType]?: ConnectionRepository;

  @PrimaryKey({ type: 'text' })
  readonly id: Id<'connection'> = newId('connection');

  @ManyToOne(() => Project, { deleteRule: 'no action' })
  readonly project: Project;

  @Property({ type: 'text' })
  readonly name: string;

  @Property({ type: 'text' })
  readonly provider: Provider;

  @Property({ type: 'text' })
  readonly model: string;

  @Property({ type: 'text', nullable: true })
  readonly modelType: string | null;

  @Property({ type: 'text' })
  status: Status;

  /** As text: `jsonb` would change the order of members and long numbers. */
  @Property({ type: 'text' })
  private fieldsJson!: string;

  @Property({ type: 'text' })
  secretsSealed!: string;

  @Property({ type: 'timestamptz' })
  readonly createdAt: Date = clock.now();

  @Property({ type: 'timestamptz' })
  modifiedAt: Date = this.createdAt;

  constructor(project: Project, wish: NewConnection) {
    this.project = project;
    this.name = wish.name;
    this.provider = wish.provider;
    this.model = wish.model;
    this.modelType = wish.modelType;
    this.status = wish.status;
  }

  /** With masks in the places of secrets. */
  get shownFields(): JsonObject {
    return JSON.parse(this.fieldsJson) as JsonObject;
  }

  setFields(shown: JsonObject, secretsSealed: string): void {
    if (this.secretsSealed !== undefined) this.modifiedAt = clock.now();
    this.fieldsJson = JSON.stringify(shown);
    this.secretsSealed = secretsSealed;
  }

  setStatus(status: Status): void {
    if (status === this.status) return;
    this.status = status;
    this.modifiedAt = clock.now();
  }
}
