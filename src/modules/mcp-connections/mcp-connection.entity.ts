import { Entity, Enum, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType } from '@mikro-orm/postgresql';
import { clock } from '../../kernel/clock.js';
import { type Id, newId } from '../../kernel/ids.js';
import { Audited } from '../../platform/audit/audited.js';
import { ID } from '../../platform/database/columns.js';
import { Project } from '../tenancy/project.entity.js';
import { McpConnectionRepository } from './mcp-connection.repository.js';

export const MCP_STATUSES = ['ACTIVE', 'INACTIVE'] as const;
export type McpStatus = (typeof MCP_STATUSES)[number];

export interface McpHeader {
  key: string;
  value: string;
}

/** All properties of a connection except its headers. */
export interface McpConnectionProperties {
  name: string;
  url: string;
  status: McpStatus;
  /** Null if every tool of the server may be called. */
  allowedTools: string[] | null;
  /** The authorization profile whose token of the user is sent to the server. */
  authProfile: string | null;
  timeoutMs: number;
}

/** The address of an MCP server whose tools agents and flows call. The values of its headers are stored sealed. */
@Audited({ kind: 'mcpConnection', project: 'project', secrets: ['headersSealed', 'headersJson', 'url'] })
@Entity({ tableName: 'mcp_connection', repository: () => McpConnectionRepository })
@Index({ name: 'mcp_connection_project', properties: ['project', 'id'] })
export class McpConnection implements McpConnectionProperties {
  [EntityRepositoryType]?: McpConnectionRepository;

  @PrimaryKey({ ...ID })
  readonly id: Id<'mcpConnection'> = newId('mcpConnection');

  @ManyToOne(() => Project, { deleteRule: 'no action' })
  readonly project: Project;

  @Property({ type: 'text' })
  name: string;

  @Property({ type: 'text' })
  url: string;

  @Enum({ type: 'text', items: MCP_STATUSES })
  status: McpStatus;

  /** The headers for display, with a mask for each value. */
  @Property({ type: 'text' })
  headersJson!: string;

  @Property({ type: 'text' })
  headersSealed!: string;

  @Property({ type: 'array', nullable: true })
  allowedTools: string[] | null;

  @Property({ type: 'text', nullable: true })
  authProfile: string | null;

  @Property({ type: 'integer' })
  timeoutMs: number;

  @Property({ type: 'timestamptz' })
  readonly createdAt: Date = clock.now();

  @Property({ type: 'timestamptz' })
  modifiedAt: Date = this.createdAt;

  constructor(project: Project, properties: McpConnectionProperties) {
    this.project = project;
    this.name = properties.name;
    this.url = properties.url;
    this.status = properties.status;
    this.allowedTools = properties.allowedTools;
    this.authProfile = properties.authProfile;
    this.timeoutMs = properties.timeoutMs;
  }

  change(changes: Partial<McpConnectionProperties>): void {
    Object.assign(this, changes);
    this.modifiedAt = clock.now();
  }

  setHeaders(shown: McpHeader[], sealed: string): void {
    this.headersJson = JSON.stringify(shown);
    this.headersSealed = sealed;
  }

  get shownHeaders(): McpHeader[] {
    return JSON.parse(this.headersJson) as McpHeader[];
  }

  allows(tool: string): boolean {
    return this.allowedTools === null || this.allowedTools.includes(tool);
  }
}
