import { Entity, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType } from '@mikro-orm/postgresql';
import { clock } from '../../../kernel/clock.js';
import { type Id, newId } from '../../../kernel/ids.js';
import { Audited } from '../../../platform/audit/audited.js';
import { ID } from '../../../platform/database/columns.js';
import { Project } from '../../tenancy/project.entity.js';
import { ToolRepository } from './tool.repository.js';

export const TOOL_STATUSES = ['IMPORTING', 'FAILED', 'READY', 'DEPLOYED'] as const;
export type ToolStatus = (typeof TOOL_STATUSES)[number];

type VersionId = Id<'toolVersion'>;

/** A tool of a project: versions of its documents, one of them its own, and perhaps one deployed. */
@Audited({ kind: 'tool', project: 'project' })
@Entity({ tableName: 'tool', repository: () => ToolRepository })
@Index({ name: 'tool_project', properties: ['project', 'id'] })
export class Tool {
  [EntityRepositoryType]?: ToolRepository;

  @PrimaryKey({ ...ID })
  readonly id: Id<'tool'> = newId('tool');

  @ManyToOne(() => Project, { deleteRule: 'no action' })
  readonly project: Project;

  /** Whose key imported it first; null where that is not known. */
  @Property({ ...ID, nullable: true })
  readonly scopeId: Id<'scope'> | null;

  @Property({ type: 'text' })
  name: string;

  /** Its first import has failed, and no other went well since. */
  @Property({ type: 'boolean' })
  private hasFailed = false;

  /** What is deployed next, and exported. */
  @Property({ ...ID, nullable: true })
  versionId: VersionId | null = null;

  @Property({ ...ID, nullable: true })
  deployedVersionId: VersionId | null = null;

  @Property({ type: 'timestamptz', nullable: true })
  deployedAt: Date | null = null;

  @Property({ type: 'timestamptz' })
  readonly createdAt: Date = clock.now();

  @Property({ type: 'timestamptz' })
  modifiedAt: Date = this.createdAt;

  constructor(project: Project, scopeId: Id<'scope'>, name: string) {
    this.project = project;
    this.scopeId = scopeId;
    this.name = name;
  }

  get status(): ToolStatus {
    if (this.deployedVersionId !== null) return 'DEPLOYED';
    if (this.versionId !== null) return 'READY';
    return this.hasFailed ? 'FAILED' : 'IMPORTING';
  }

  /** What was deployed stays so, until it is deployed anew. */
  takeVersion(versionId: VersionId): void {
    this.versionId = versionId;
    this.hasFailed = false;
    this.modifiedAt = clock.now();
  }

  importFailed(): void {
    this.hasFailed = this.versionId === null;
  }

  deploy(versionId: VersionId): void {
    if (this.versionId === null) throw new Error(`The tool ${this.id} has no version to deploy`);
    this.deployedVersionId = versionId;
    this.deployedAt = clock.now();
    this.modifiedAt = this.deployedAt;
  }

  undeploy(): void {
    this.deployedVersionId = null;
    this.deployedAt = null;
    this.modifiedAt = clock.now();
  }

  /** An older version becomes its own again; where the tool is deployed, at once. */
  rollBack(versionId: VersionId): void {
    this.takeVersion(versionId);
    if (this.deployedVersionId !== null) this.deploy(versionId);
  }
}
