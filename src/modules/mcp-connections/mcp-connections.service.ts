import { Injectable } from '@nestjs/common';
import type { AdminActor } from '../../kernel/actor.js';
import { definedMembers } from '../../kernel/defined-members.js';
import type { Id } from '../../kernel/ids.js';
import type { Page } from '../../kernel/page.js';
import { Database } from '../../platform/database/database.js';
import { Outbound } from '../../platform/outbound/outbound.js';
import { validationError } from '../../platform/route/validation.js';
import { mcpConnectionList, type McpConnectionsRequest } from './mcp-connection.list.js';
import { TenancyService } from '../tenancy/tenancy.service.js';
import { McpConnection, type McpHeader } from './mcp-connection.entity.js';
import { McpConnectionRepository } from './mcp-connection.repository.js';
import type { ChangeMcpConnection, CreateMcpConnection } from './mcp-connections.admin.schema.js';
import { mcpConnectionsErrors } from './mcp-connections.errors.js';
import { McpFailure, type McpListing, SignInProfiles } from './mcp-connections.port.js';
import { McpHeaders } from './mcp-headers.js';
import { McpTools } from './mcp-tools.service.js';

/** Manages the MCP servers whose tools a project's agents and flows call. */
@Injectable()
export class McpConnectionsService {
  constructor(
    private readonly database: Database,
    private readonly tenancy: TenancyService,
    private readonly connections: McpConnectionRepository,
    private readonly headers: McpHeaders,
    private readonly tools: McpTools,
    private readonly outbound: Outbound,
    private readonly profiles: SignInProfiles,
  ) {}

  create(
    actor: AdminActor,
    projectId: Id<'project'>,
    { headers, ...properties }: CreateMcpConnection,
  ): Promise<McpConnection> {
    this.outbound.checkAddress(properties.url, 'url');
    return this.database.transaction(actor, async (tx) => {
      const connection = new McpConnection(await this.tenancy.project(projectId), properties);
      await this.checkProfile(projectId, properties.authProfile);
      this.headers.put(connection, headers);
      tx.em.persist(connection);
      return connection;
    });
  }

  async list(projectId: Id<'project'>, request: McpConnectionsRequest): Promise<Page<McpConnection>> {
    await this.tenancy.project(projectId);
    return mcpConnectionList.page(this.connections, { project: projectId }, request);
  }

  async read(projectId: Id<'project'>, connectionId: Id<'mcpConnection'>): Promise<McpConnection> {
    await this.tenancy.project(projectId);
    return found(await this.connections.inProject(projectId, connectionId));
  }

  /** Asks the server for its tools as they are now, whatever the status of the connection is. */
  async listTools(
    projectId: Id<'project'>,
    connectionId: Id<'mcpConnection'>,
    signal: AbortSignal,
  ): Promise<{ connection: McpConnection; listing: McpListing }> {
    const connection = await this.read(projectId, connectionId);
    if (!this.headers.of(connection)) throw mcpConnectionsErrors.mcpConnectionUnreadable();
    try {
      return { connection, listing: await this.tools.list(connection, { userTokens: {}, signal }) };
    } catch (error) {
      if (!(error instanceof McpFailure)) throw error;
      const details = { reason: error.reason };
      throw mcpConnectionsErrors.mcpServerFailed({ sentence: error.message }, { details });
    }
  }

  /** Headers are replaced as a whole. The mask of a stored header keeps its value. */
  change(
    actor: AdminActor,
    projectId: Id<'project'>,
    connectionId: Id<'mcpConnection'>,
    { headers, ...changes }: ChangeMcpConnection,
  ): Promise<McpConnection> {
    if (changes.url !== undefined) this.outbound.checkAddress(changes.url, 'url');
    return this.database.transaction(actor, async () => {
      await this.tenancy.project(projectId);
      const connection = found(await this.connections.lockInProject(projectId, connectionId));
      const isElsewhere = changes.url !== undefined && originOf(changes.url) !== originOf(connection.url);
      if (isElsewhere && keepsHeaders(connection, headers)) throw validationError([HEADERS_STAY]);
      const authProfile = changes.authProfile === undefined ? connection.authProfile : changes.authProfile;
      if (authProfile !== null && hasAuthorization(headers ?? connection.shownHeaders))
        throw validationError([TWO_CREDENTIALS]);
      if (authProfile !== connection.authProfile) await this.checkProfile(projectId, authProfile);
      connection.change(definedMembers(changes));
      if (headers) this.headers.put(connection, this.unmasked(connection, headers));
      return connection;
    });
  }

  async delete(actor: AdminActor, projectId: Id<'project'>, connectionId: Id<'mcpConnection'>): Promise<void> {
    await this.database.transaction(actor, async (tx) => {
      await this.tenancy.project(projectId);
      tx.em.remove(found(await this.connections.lockInProject(projectId, connectionId)));
    });
  }

  /** The profile may be deleted later. A call then fails as one of a user who has not signed in. */
  private async checkProfile(projectId: Id<'project'>, idpName: string | null): Promise<void> {
    if (idpName === null || (await this.profiles.has(projectId, idpName))) return;
    throw validationError([UNKNOWN_PROFILE]);
  }

  private unmasked(connection: McpConnection, sent: readonly McpHeader[]): McpHeader[] {
    const isKept = (header: McpHeader) => isShown(connection, header);
    if (!sent.some(isKept)) return [...sent];
    const stored = this.headers.of(connection);
    if (!stored) throw mcpConnectionsErrors.mcpConnectionUnreadable();
    return sent.map((header) => (isKept(header) ? stored.find(({ key }) => key === header.key)! : header));
  }
}

const HEADERS_STAY = {
  path: ['headers'],
  message: 'must be sent again, with their values, if `url` leads to another host; the stored ones are not sent there',
};
const TWO_CREDENTIALS = {
  path: ['authProfile'],
  message: 'cannot be set together with a header authorization; send headers without it',
};
const UNKNOWN_PROFILE = {
  path: ['authProfile'],
  message: 'is not the idpName of an authorization profile of an app of this project; create that first',
};

/** An administrator could otherwise read the values of headers by sending them to a server of their own. */
function keepsHeaders(connection: McpConnection, sent: readonly McpHeader[] | undefined): boolean {
  return (sent ?? connection.shownHeaders).some((header) => isShown(connection, header));
}

function isShown({ shownHeaders }: McpConnection, { key, value }: McpHeader): boolean {
  return shownHeaders.some((shown) => shown.key === key && shown.value === value);
}

function hasAuthorization(headers: readonly McpHeader[]): boolean {
  return headers.some(({ key }) => key.toLowerCase() === 'authorization');
}

function originOf(url: string): string {
  return new URL(url).origin;
}

function found(connection: McpConnection | null): McpConnection {
  if (!connection) throw mcpConnectionsErrors.mcpConnectionNotFound();
  return connection;
}
