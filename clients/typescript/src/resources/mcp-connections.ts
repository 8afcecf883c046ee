import { rowsOf } from '../lists.js';
import type { Place, ProjectOptions, Schemas } from '../place.js';
import { dataOf, once, type CallOptions, type OnceOptions, type Transport } from '../transport.js';

const CONNECTIONS = '/api/admin/v1/projects/{projectId}/mcp-connections';
const CONNECTION = `${CONNECTIONS}/{mcpConnectionId}` as const;

/** MCP servers whose tools agents and flows call. All calls need an administration key. */
export class McpConnections {
  constructor(
    private readonly admin: Transport,
    private readonly place: Place,
  ) {}

  async create(
    body: Schemas['CreateMcpConnectionInput'],
    options: ProjectOptions & OnceOptions = {},
  ): Promise<Schemas['McpConnection']> {
    const params = { header: once(options), path: { projectId: await this.place.project(options) } };
    return dataOf(this.admin.api.POST(CONNECTIONS, { params, body, ...this.admin.with(options) }));
  }

  async *list(options: ProjectOptions & CallOptions = {}): AsyncGenerator<Schemas['McpConnection'], void, undefined> {
    const path = { projectId: await this.place.project(options) };
    yield* rowsOf((cursor) =>
      this.admin.api.GET(CONNECTIONS, { params: { path, query: { cursor } }, ...this.admin.with(options) }),
    );
  }

  /** Returns a connection, with the values of its headers masked. */
  async read(mcpConnectionId: string, options: ProjectOptions & CallOptions = {}): Promise<Schemas['McpConnection']> {
    const params = { path: await this.pathOf(mcpConnectionId, options) };
    return dataOf(this.admin.api.GET(CONNECTION, { params, ...this.admin.with(options) }));
  }

  async update(
    mcpConnectionId: string,
    body: Schemas['ChangeMcpConnectionInput'],
    options: ProjectOptions & CallOptions = {},
  ): Promise<Schemas['McpConnection']> {
    const params = { path: await this.pathOf(mcpConnectionId, options) };
    return dataOf(this.admin.api.PATCH(CONNECTION, { params, body, ...this.admin.with(options) }));
  }

  async delete(mcpConnectionId: string, options: ProjectOptions & CallOptions = {}): Promise<void> {
    const params = { path: await this.pathOf(mcpConnectionId, options) };
    await this.admin.api.DELETE(CONNECTION, { params, ...this.admin.with(options) });
  }

  /** Asks the server for its tools, and returns those that may be called and the reasons why others may not. */
  async tools(mcpConnectionId: string, options: ProjectOptions & CallOptions = {}): Promise<Schemas['McpTools']> {
    const params = { path: await this.pathOf(mcpConnectionId, options) };
    return dataOf(this.admin.api.GET(`${CONNECTION}/tools`, { params, ...this.admin.with(options) }));
  }

  private async pathOf(mcpConnectionId: string, options: ProjectOptions & CallOptions) {
    return { projectId: await this.place.project(options), mcpConnectionId };
  }
}
