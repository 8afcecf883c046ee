import { rowsOf } from '../lists.js';
import type { Place, PlaceOptions, Schemas } from '../place.js';
import { dataOf, once, type CallOptions, type OnceOptions, type Transport } from '../transport.js';

const AGENTS = '/api/admin/v1/apps/{appId}/agents';
const ENVIRONMENT = '/api/admin/v1/apps/{appId}/environments/{envName}';

/** The agents of the app. All calls need an administration key. */
export class Agents {
  constructor(
    private readonly admin: Transport,
    private readonly place: Place,
  ) {}

  async create(body: Schemas['CreateAgentInput'], options: PlaceOptions & OnceOptions = {}): Promise<Schemas['Agent']> {
    const params = { header: once(options), path: { appId: await this.place.app(options) } };
    return dataOf(this.admin.api.POST(AGENTS, { params, body, ...this.admin.with(options) }));
  }

  async *list(options: PlaceOptions & CallOptions = {}): AsyncGenerator<Schemas['Agent'], void, undefined> {
    const path = { appId: await this.place.app(options) };
    yield* rowsOf((cursor) =>
      this.admin.api.GET(AGENTS, { params: { path, query: { cursor } }, ...this.admin.with(options) }),
    );
  }

  async read(agentId: string, options: PlaceOptions & CallOptions = {}): Promise<Schemas['Agent']> {
    const params = { path: { appId: await this.place.app(options), agentId } };
    return dataOf(this.admin.api.GET(`${AGENTS}/{agentId}`, { params, ...this.admin.with(options) }));
  }

  /** Changes an agent, which makes another version of it. Environments answer with it once it is activated. */
  async change(
    agentId: string,
    body: Schemas['ChangeAgentInput'],
    options: PlaceOptions & CallOptions = {},
  ): Promise<Schemas['Agent']> {
    const params = { path: { appId: await this.place.app(options), agentId } };
    return dataOf(this.admin.api.PATCH(`${AGENTS}/{agentId}`, { params, body, ...this.admin.with(options) }));
  }

  async delete(agentId: string, options: PlaceOptions & CallOptions = {}): Promise<void> {
    const params = { path: { appId: await this.place.app(options), agentId } };
    await this.admin.api.DELETE(`${AGENTS}/{agentId}`, { params, ...this.admin.with(options) });
  }

  /** Lets the environment's sessions be answered by the newest version of an agent, or by the one that is named. */
  async activate(
    agentId: string,
    options: PlaceOptions & CallOptions & { versionId?: string } = {},
  ): Promise<Schemas['Deployment']> {
    const { versionId } = options;
    return dataOf(
      this.admin.api.PUT(ENVIRONMENT, {
        params: { path: await this.place.environment(options) },
        body: { agentId, active: true, ...(versionId !== undefined && { versionId }) },
        ...this.admin.with(options),
      }),
    );
  }
}
