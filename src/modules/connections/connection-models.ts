import type { Id } from '../../kernel/ids.js';
import { isId } from '../../kernel/ids.js';
import { Settings } from '../../platform/config/settings.js';
import { Database } from '../../platform/database/database.js';
import { Outbound, type OutboundRequest } from '../../platform/outbound/outbound.js';
import { type CallableModel, type ListedModel, ModelTarget, ProvidesModels } from '../gateway/gateway.port.js';
import { boundedStream, maxBytesOf } from './bounded-answer.js';
import { ConnectionProtocols } from './connection-protocols.js';
import type { ConnectionRow } from './connection.entity.js';
import { ConnectionRepository } from './connection.repository.js';
import { ConnectionSafe } from './connection-safe.js';
import { gatewayErrors } from '../gateway/gateway.errors.js';
import { type GuardedFetch, perAttempt } from './protocols/per-attempt.js';

type OpenedConnection = Omit<ConnectionRow, 'projectId'>;

/** Provides the models of connections to the gateway. */
@ProvidesModels()
export class ConnectionModels extends ModelTarget {
  constructor(
    private readonly database: Database,
    private readonly connections: ConnectionRepository,
    private readonly safe: ConnectionSafe,
    private readonly protocols: ConnectionProtocols,
    private readonly outbound: Outbound,
    private readonly settings: Settings,
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
    return (await this.connections.active(projectId)).flatMap((connection) => {
      const known = this.protocols.find(connection);
      return known
        ? [{ id: connection.id, provider: known.description.ledgerName, createdAt: connection.createdAt }]
        : [];
    });
  }

  /**
   * Returns a sentence if the protocol knows what is wrong with a connection. A failure to find out is none: the call of
   * the model then says why.
   */
  async problemOf(projectId: Id<'project'>, connection: OpenedConnection): Promise<string | undefined> {
    const { protocol, called } = this.opened(projectId, connection);
    return protocol.problemOf(called, (...request) => this.guarded(false, ...request)).catch(() => undefined);
  }

  private callable(projectId: Id<'project'>, connection: ConnectionRow): CallableModel {
    const { id, model, createdAt } = connection;
    const { description, protocol, called } = this.opened(projectId, connection);
    return {
      id,
      provider: description.ledgerName,
      createdAt,
      name: model,
      protocol: perAttempt(this.guarded, (send) => protocol.model(called, send)),
      refusalOf: (request) => protocol.refusalOf(request, called),
    };
  }

  private opened(projectId: Id<'project'>, connection: OpenedConnection) {
    if (connection.status !== 'ACTIVE') throw gatewayErrors.connectionInactive();
    const { description, protocol } = this.protocols.of(connection);
    const fields = this.safe.fieldsOf(connection);
    if (!fields) throw gatewayErrors.connectionUnreadable();
    return { description, protocol, called: { projectId, model: connection.model, fields } };
  }

  private readonly guarded: GuardedFetch = async (isStream, input, init = {}) => {
    const url = input instanceof Request ? input.url : String(input);
    const timeoutMs = this.settings.MODEL_TIMEOUT_SECONDS * 1000;
    const response = await this.outbound.fetch(url, init as OutboundRequest, {
      timeoutMs,
      maxBytes: maxBytesOf(isStream),
    });
    return isStream ? boundedStream(response) : response;
  };
}
