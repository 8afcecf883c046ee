import { Entity, Enum, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType } from '@mikro-orm/postgresql';
import { clock } from '../../kernel/clock.js';
import { type Id, newId } from '../../kernel/ids.js';
import { Audited } from '../../platform/audit/audited.js';
import { ID, type RowOf } from '../../platform/database/columns.js';
import { Project } from '../tenancy/project.entity.js';
import { ConnectionRepository } from './connection.repository.js';
import type { JsonObject } from './secret-members.js';

export const STATUSES = ['ACTIVE', 'INACTIVE'] as const;
export type Status = (typeof STATUSES)[number];

export interface NewConnection {
  name: string;
  provider: string;
  model: string;
  modelType: string | null;
  status: Status;
}

export type ConnectionRow = RowOf<Connection>;

/**
 * The address and credentials with which a project reaches a model provider. Secret fields are stored separately,
 * sealed.
 */
@Audited({ kind: 'connection', project: 'project', secrets: ['secretsSealed'] })
@Entity({ tableName: 'connection', repository: () => ConnectionRepository })
@Index({ name: 'connection_project', properties: ['project', 'id'] })
export class Connection {
  [EntityRepositoryType]?: ConnectionRepository;

  @PrimaryKey({ ...ID })
  readonly id: Id<'connection'> = newId('connection');

  @ManyToOne(() => Project, { deleteRule: 'no action' })
  readonly project: Project;

  @Property({ type: 'text' })
  readonly name: string;

  /** The name of a protocol, of which plugins bring more. */
  @Property({ type: 'text' })
  readonly provider: string;

  @Property({ type: 'text' })
  readonly model: string;

  @Property({ type: 'text', nullable: true })
  readonly modelType: string | null;

  @Enum({ type: 'text', items: STATUSES })
  status: Status;

  /** Text instead of `jsonb`, which would change the order of members and long numbers. */
  @Property({ type: 'text' })
  fieldsJson!: string;

  @Property({ type: 'text' })
  secretsSealed!: string;

  @Property({ type: 'timestamptz' })
  readonly createdAt: Date = clock.now();

  @Property({ type: 'timestamptz' })
  modifiedAt: Date = this.createdAt;

  constructor(project: Project, created: NewConnection) {
    this.project = project;
    this.name = created.name;
    this.provider = created.provider;
    this.model = created.model;
    this.modelType = created.modelType;
    this.status = created.status;
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

/** Returns the fields for display, with a mask for each secret. */
export function shownFieldsOf({ fieldsJson }: Pick<Connection, 'fieldsJson'>): JsonObject {
  return JSON.parse(fieldsJson) as JsonObject;
}
