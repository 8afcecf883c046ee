import { Entity, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType } from '@mikro-orm/postgresql';
import { clock } from '../../../kernel/clock.js';
import { type Id, newId } from '../../../kernel/ids.js';
import { Audited } from '../../../platform/audit/audited.js';
import { ID } from '../../../platform/database/columns.js';
import type { DockError } from '../../dock/dock.port.js';
import { Project } from '../../tenancy/project.entity.js';
import { ToolRepository } from './tool.repository.js';

export const TOOL_STATUSES = ['IMPORTING', 'FAILED', 'READY', 'DEPLOYED'] as const;
export type ToolStatus = (typeof TOOL_STATUSES)[number];

type VersionId = Id<'toolVersion'>;

/** A tool of a project. It has versions of its documents; one is the current one, and one may be deployed. */
@Audited({ kind: 'tool', project: 'project' })
@Entity({ tableName: 'tool', repository: () => ToolRepository })
@Index({ name: 'tool_project', properties: ['project', 'id'] })
export class Tool {
  [EntityRepositoryType]?: ToolRepository;

  @PrimaryKey({ ...ID })
  readonly id: Id<'tool'> = newId('tool');

  @ManyToOne(() => Project, { deleteRule: 'no action' })
  readonly project: Project;

  /** The scope of the key that imported the tool first. It is null if it is not known. */
  @Property({ ...ID, nullable: true })
  readonly scopeId: Id<'scope'> | null;

  @Property({ type: 'text' })
  name: string;

  /** Whether an import has failed and none has succeeded yet. */
  @Property({ type: 'boolean' })
  hasFailed = false;

  /** Why the last import failed, while none has succeeded. */
  @Property({ type: 'json', nullable: true })
  failure: DockError | null = null;

  /** The current version: the next deployment and the next export use it. */
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

  /** The deployed version stays until the next deployment. */
  takeVersion(versionId: VersionId): void {
    this.versionId = versionId;
    this.hasFailed = false;
    this.failure = null;
    this.modifiedAt = clock.now();
  }

  importFailed({ code, message }: DockError): void {
    if (this.versionId !== null) return;
    this.hasFailed = true;
    this.failure = { code, message };
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

  /** Makes an older version the current one. If the tool is deployed, that version is deployed at once. */
  rollBack(versionId: VersionId): void {
    this.takeVersion(versionId);
    if (this.deployedVersionId !== null) this.deploy(versionId);
  }
}
