import { Entity, Enum, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType } from '@mikro-orm/postgresql';
import { clock } from '../../kernel/clock.js';
import { type Id, newId } from '../../kernel/ids.js';
import { Audited } from '../../platform/audit/audited.js';
import { ID } from '../../platform/database/columns.js';
import { InProject } from '../../platform/database/in-project.js';
import type { TokenAlgorithm } from '../../platform/auth/jwt-client-directory.js';
import type { RowOf } from '../../platform/database/columns.js';
import { Project } from '../tenancy/project.entity.js';
import { JwtClientRepository } from './jwt-client.repository.js';

export interface NewJwtClient {
  name: string;
  algorithm: TokenAlgorithm;
  requireExp: boolean;
  enforceJti: boolean;
}

export type JwtClientRow = RowOf<JwtClient>;

/** A contact centre of a project, which signs the tokens of hook calls. Its keys are sealed. */
@Audited({ kind: 'jwtClient', project: 'project', secrets: ['keySealed', 'previousKeySealed'] })
@InProject('jwtClient')
@Entity({ tableName: 'jwt_client', repository: () => JwtClientRepository })
@Index({ name: 'jwt_client_project', properties: ['project', 'id'] })
export class JwtClient {
  [EntityRepositoryType]?: JwtClientRepository;

  @PrimaryKey({ ...ID })
  readonly id: Id<'jwtClient'> = newId('jwtClient');

  @ManyToOne(() => Project, { deleteRule: 'no action' })
  readonly project: Project;

  @Property({ type: 'text' })
  name: string;

  @Enum({ type: 'text', items: ['HS256', 'RS256'] })
  readonly algorithm: TokenAlgorithm;

  /** Lets people tell one key from another. */
  @Property({ type: 'text' })
  keyHint!: string;

  @Property({ type: 'text' })
  keySealed!: string;

  @Property({ type: 'text', nullable: true })
  previousKeySealed: string | null = null;

  @Property({ type: 'timestamptz', nullable: true })
  previousUntil: Date | null = null;

  @Property({ type: 'boolean' })
  requireExp: boolean;

  @Property({ type: 'boolean' })
  enforceJti: boolean;

  @Property({ type: 'timestamptz' })
  readonly createdAt: Date = clock.now();

  constructor(project: Project, { name, algorithm, requireExp, enforceJti }: NewJwtClient) {
    this.project = project;
    this.name = name;
    this.algorithm = algorithm;
    this.requireExp = requireExp;
    this.enforceJti = enforceJti;
  }

  /** Replaces the key. Only the previous key may stay valid for a grace period, and no key before that one. */
  setKey(sealed: string, hint: string, previous: { sealed: string; until: Date } | null): void {
    this.keySealed = sealed;
    this.keyHint = hint;
    this.previousKeySealed = previous?.sealed ?? null;
    this.previousUntil = previous?.until ?? null;
  }
}
