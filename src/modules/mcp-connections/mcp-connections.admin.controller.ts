import { Body, Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { AdminActor } from '../../kernel/actor.js';
import type { Id } from '../../kernel/ids.js';
import { mapPage } from '../../kernel/page.js';
import { Administrator } from '../../platform/auth/callers.js';
import { currentRequest } from '../../platform/context/request-context.js';
import { outboundErrors } from '../../platform/outbound/outbound.errors.js';
import { data, page } from '../../platform/route/answer.js';
import { PathId } from '../../platform/route/path-id.js';
import { AdminRoute } from '../../platform/route/route.js';
import { mcpConnectionList, type McpConnectionsRequest } from './mcp-connection.list.js';
import {
  ChangeMcpConnection,
  CreateMcpConnection,
  McpConnectionGone,
  McpConnectionView,
  McpToolsView,
  toMcpConnectionView,
  toMcpToolsView,
} from './mcp-connections.admin.schema.js';
import { mcpConnectionsErrors } from './mcp-connections.errors.js';
import { McpConnectionsService } from './mcp-connections.service.js';

const { mcpConnectionNotFound, mcpConnectionUnreadable, mcpServerFailed } = mcpConnectionsErrors;
const { addressNotAllowed } = outboundErrors;

@ApiTags('Administration: MCP connections')
@Controller()
export class McpConnectionsAdminController {
  constructor(private readonly connections: McpConnectionsService) {}

  @AdminRoute('POST /projects/{projectId}/mcp-connections', {
    summary: 'Create a connection to an MCP server',
    description: 'Agents that name the connection call the server’s tools. The server is not called yet.',
    returns: data(McpConnectionView),
    status: 201,
    errors: [addressNotAllowed],
  })
  async create(
    @Administrator() actor: AdminActor,
    @PathId('project') projectId: Id<'project'>,
    @Body({ schema: CreateMcpConnection }) body: CreateMcpConnection,
  ) {
    return toMcpConnectionView(await this.connections.create(actor, projectId, body));
  }

  @AdminRoute('GET /projects/{projectId}/mcp-connections', {
    summary: 'List the MCP connections of a project, by default oldest first',
    returns: page(McpConnectionView),
  })
  async list(
    @PathId('project') projectId: Id<'project'>,
    @Query({ schema: mcpConnectionList.query }) query: McpConnectionsRequest,
  ) {
    return mapPage(await this.connections.list(projectId, query), toMcpConnectionView);
  }

  @AdminRoute('GET /projects/{projectId}/mcp-connections/{mcpConnectionId}', {
    summary: 'Read an MCP connection, with the values of its headers masked',
    returns: data(McpConnectionView),
    errors: [mcpConnectionNotFound],
  })
  async read(@PathId('project') projectId: Id<'project'>, @PathId('mcpConnection') connectionId: Id<'mcpConnection'>) {
    return toMcpConnectionView(await this.connections.read(projectId, connectionId));
  }

  @AdminRoute('GET /projects/{projectId}/mcp-connections/{mcpConnectionId}/tools', {
    summary: 'Ask an MCP server for its tools',
    description:
      'The answer has the tools that agents are offered, and those that are left out with the reason. At most 128 tools of a server are read.',
    returns: data(McpToolsView),
    errors: [mcpConnectionNotFound, mcpConnectionUnreadable, mcpServerFailed],
  })
  async listTools(
    @PathId('project') projectId: Id<'project'>,
    @PathId('mcpConnection') connectionId: Id<'mcpConnection'>,
  ) {
    const { signal } = currentRequest()!;
    const { connection, listing } = await this.connections.listTools(projectId, connectionId, signal);
    return toMcpToolsView(connection, listing);
  }

  @AdminRoute('PATCH /projects/{projectId}/mcp-connections/{mcpConnectionId}', {
    summary: 'Change an MCP connection',
    description:
      'Members that are left out do not change. Headers are replaced as a whole, and a header whose mask is sent keeps its value. If the `url` leads to another host, the values have to be sent again.',
    returns: data(McpConnectionView),
    errors: [mcpConnectionNotFound, mcpConnectionUnreadable, addressNotAllowed],
  })
  async change(
    @Administrator() actor: AdminActor,
    @PathId('project') projectId: Id<'project'>,
    @PathId('mcpConnection') connectionId: Id<'mcpConnection'>,
    @Body({ schema: ChangeMcpConnection }) body: ChangeMcpConnection,
  ) {
    return toMcpConnectionView(await this.connections.change(actor, projectId, connectionId, body));
  }

  @AdminRoute('DELETE /projects/{projectId}/mcp-connections/{mcpConnectionId}', {
    summary: 'Delete an MCP connection and its headers',
    description: 'Agents that name it are no longer offered its tools.',
    returns: data(McpConnectionGone),
    errors: [mcpConnectionNotFound],
  })
  async delete(
    @Administrator() actor: AdminActor,
    @PathId('project') projectId: Id<'project'>,
    @PathId('mcpConnection') connectionId: Id<'mcpConnection'>,
  ) {
    return this.connections.delete(actor, projectId, connectionId).then(() => ({ mcpConnectionId: connectionId }));
  }
}
