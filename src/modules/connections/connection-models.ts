import type { Id } from '../../kernel/ids.js';
import { isId } from '../../kernel/ids.js';
import { Settings } from '../../platform/config/settings.js';
import { Database } from '../../platform/database/database.js';
import { Outbound } from '../../platform/outbound/outbound.js';
import { Templates } from '../../platform/template/templates.js';
import {
  type CallableModel,
  type ListedModel,
  type ModelProtocol,
  type ModelRequest,
  ModelTarget,
  ProvidesModels,
} from '../gateway/gateway.port.js';
import { apiProtocol, apiRefusal } from './api-model.js';
import { boundedStream, maxBytesOf } from './bounded-answer.js';
import type { Connection, ConnectionRow, Provider } from './connection.entity.js';
import { ConnectionRepository } from './connection.repository.js';
import { ConnectionSafe } from './connection-safe.js';
import { gatewayErrors } from '../gateway/gateway.errors.js';
import { anthropic, anthropicRefusal } from './protocols/anthropic.js';
import { azure } from './protocols/azure.js';
import { withDefaultPath } from './protocols/endpoint.js';
import { openAi } from './protocols/openai.js';
import { type GuardedFetch, perAttempt } from './protocols/per-attempt.js';
import type { JsonObject } from './secret-members.js';

/** The names of providers in the ledger and its prices. */
const LEDGER_NAMES: Record<Provider, string> = {
  API: 'custom',
  Vendor1: 'openai',
  CloudVendor1: 'azure',
  Vendor2: 'anthropic',
};

type CalledVendor = { provider: Exclude<Provider, 'API'>; model: string };

/** Provides the models of connections to the gateway. */
@ProvidesModels()
export class ConnectionModels extends ModelTarget {
  constructor(
    private readonly database: Database,
    private readonly connections: ConnectionRepository,
    private readonly safe: ConnectionSafe,
    private readonly outbound: Outbound,
    private readonly settings: Settings,
    private readonly templates: Templates,
  ) {
    super();
  }

  async find(projectId: Id<'project'>, named: string): Promise<CallableModel | null> {
    const statement = isId('connection', named)
      ? this.connections.rowInProject(projectId, named)
      : this.connections.newestNamed(projectId, named);
    const connection = await this.database.ask(statement);
    return connection && this.callable(projectId, connection);
  }

  async list(projectId: Id<'project'>): Promise<ListedModel[]> {
    return (await this.connections.active(projectId)).map(listed);
  }

  private callable(projectId: Id<'project'>, connection: ConnectionRow): CallableModel {
    if (connection.status !== 'ACTIVE') throw gatewayErrors.connectionInactive();
    const fields = this.safe.fieldsOf(connection);
    if (!fields) throw gatewayErrors.connectionUnreadable();
    return {
      ...listed(connection),
      name: connection.model,
      protocol: this.protocolOf(projectId, connection, fields),
      refusalOf: (request) => refusalOf(connection, fields, request),
    };
  }

  private protocolOf(projectId: Id<'project'>, connection: ConnectionRow, fields: JsonObject): ModelProtocol {
    const { provider, model } = connection;
    if (provider === 'API') return apiProtocol(fields, model, this.guarded, this.templates.of(projectId));
    return perAttempt(this.guarded, (send) => this.vendorProtocol({ provider, model }, fields, send));
  }

  private vendorProtocol({ provider, model }: CalledVendor, fields: JsonObject, send: typeof fetch): ModelProtocol {
    const { API_KEY, api_version, your_resource_name, deployment_id } = fields as Record<string, string>;
    const { VENDOR1_BASE_URL, VENDOR2_BASE_URL, CLOUDVENDOR1_BASE_URL } = this.settings;
    const endpoint = { model, apiKey: API_KEY, fetch: send };
    switch (provider) {
      case 'Vendor1':
        return openAi({ ...endpoint, baseUrl: withDefaultPath(VENDOR1_BASE_URL, '/v1') });
      case 'Vendor2':
        return anthropic({ ...endpoint, baseUrl: withDefaultPath(VENDOR2_BASE_URL, '/v1') });
      case 'CloudVendor1': {
        const address = CLOUDVENDOR1_BASE_URL.replaceAll('{your_resource_name}', your_resource_name!);
        const baseUrl = withDefaultPath(address, '/openai');
        return azure({ ...endpoint, baseUrl, apiVersion: api_version!, deployment: deployment_id! });
      }
    }
  }

  private readonly guarded: GuardedFetch = async (isStream, input, init = {}) => {
    const url = input instanceof Request ? input.url : String(input);
    const timeoutMs = this.settings.MODEL_TIMEOUT_SECONDS * 1000;
    const response = await this.outbound.fetch(url, init, { timeoutMs, maxBytes: maxBytesOf(isStream) });
    return isStream ? boundedStream(response) : response;
  };
}

function listed({ id, provider, createdAt }: Pick<Connection, 'id' | 'provider' | 'createdAt'>): ListedModel {
  return { id, provider: LEDGER_NAMES[provider], createdAt };
}

function refusalOf(connection: ConnectionRow, fields: JsonObject, request: ModelRequest): string | undefined {
  if (connection.provider === 'API') return apiRefusal(fields, connection.model, request);
  return connection.provider === 'Vendor2' ? anthropicRefusal(request) : undefined;
}
