import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { Actor, KeyActor } from '../../kernel/actor.js';
import type { Id } from '../../kernel/ids.js';
import type { Page } from '../../kernel/page.js';
import { Database } from '../../platform/database/database.js';
import { check, validationError } from '../../platform/route/validation.js';
import { Outbound } from '../../platform/outbound/outbound.js';
import { TenancyService } from '../tenancy/tenancy.service.js';
import { connectionList, type ConnectionsRequest } from './connection.list.js';
import { ConnectionProtocols, type KnownProtocol } from './connection-protocols.js';
import { Connection, shownFieldsOf } from './connection.entity.js';
import { ConnectionRepository } from './connection.repository.js';
import { ConnectionSafe } from './connection-safe.js';
import { gatewayErrors } from '../gateway/gateway.errors.js';
import { connectionsErrors } from './connections.errors.js';
import type { ChangeConnection } from './connections.admin.schema.js';
import type { ConnectionsQuery, CreateConnection, FoundConnection } from './connections.schema.js';
import { fieldsSchema, ineffectiveIn } from './connection-fields.schema.js';
import { hasMasks, type JsonObject, keepMasked, masksIn, reunite } from './secret-members.js';

const NO_SECRET = 'is the mask of another secret than the stored one; send the secret itself';

const ENABLED_ELSEWHERE =
  'applies only when a connection is created; afterwards an administrator sets its status to ACTIVE or INACTIVE';

const NO_OTHER_MODEL = 'cannot be changed; create another connection for another model';

const OF_ANOTHER_ADDRESS = 'is the secret of the present address; send the secret itself together with another address';

/** Manages the connections of a project. Their secrets are stored sealed and shown masked. */
@Injectable()
export class ConnectionsService {
  constructor(
    private readonly database: Database,
    private readonly tenancy: TenancyService,
    private readonly connections: ConnectionRepository,
    private readonly safe: ConnectionSafe,
    private readonly outbound: Outbound,
    private readonly protocols: ConnectionProtocols,
  ) {}

  async create(
    actor: Actor,
    projectId: Id<'project'>,
    { connectionName: name, ...body }: CreateConnection,
  ): Promise<FoundConnection> {
    const fields = body.fields as JsonObject;
    const known = this.protocols.of(body);
    this.checkAddresses(known, fields);
    refuseMasks(known, fields);
    refuseFields(await known.protocol.faultsIn(fields, projectId));
    return this.database.transaction(actor, async (tx) => {
      const project = await this.tenancy.project(projectId);
      const status = fields.isEnable === false ? 'INACTIVE' : 'ACTIVE';
      const connection = new Connection(project, { ...body, name, status, modelType: body.modelType ?? null });
      this.safe.put(connection, fields);
      tx.em.persist(connection);
      return { connection, isReadable: true, warnings: known.protocol.warningsOf(fields) };
    });
  }

  /** Whether the project has this connection with this model and exactly these fields, secrets included. */
  async isSame(
    projectId: Id<'project'>,
    connectionId: Id<'connection'>,
    { provider, model, fields }: CreateConnection,
  ): Promise<boolean> {
    const connection = await this.connections.inProject(projectId, connectionId);
    if (connection?.provider !== provider || connection.model !== model) return false;
    return isDeepStrictEqual(this.safe.fieldsOf(connection), fields);
  }

  async list(projectId: Id<'project'>, query: ConnectionsQuery): Promise<{ found: FoundConnection[]; total: number }> {
    const [connections, total] = await this.connections.list(projectId, query, query);
    return { found: connections.map((connection) => this.withReadability(connection)), total };
  }

  async read(projectId: Id<'project'>, connectionId: Id<'connection'>): Promise<FoundConnection> {
    return this.withWarnings(found(await this.connections.inProject(projectId, connectionId)));
  }

  /** Merges the sent fields into the stored ones. Null removes a field, and the mask of a secret keeps it. */
  update(actor: KeyActor, connectionId: Id<'connection'>, sent: JsonObject): Promise<Connection> {
    return this.database.transaction(actor, async () => {
      const connection = found(await this.connections.lockInProject(actor.projectId, connectionId));
      if (this.protocols.of(connection).description.isChangedByAdministratorsOnly)
        throw connectionsErrors.connectionNotUpdatable();
      await this.changeFields(connection, sent);
      return connection;
    });
  }

  async page(projectId: Id<'project'>, request: ConnectionsRequest): Promise<Page<FoundConnection>> {
    await this.tenancy.project(projectId);
    const { items, nextCursor } = await connectionList.page(this.connections, { project: projectId }, request);
    return { items: items.map((connection) => this.withReadability(connection)), nextCursor };
  }

  async readForAdministration(projectId: Id<'project'>, connectionId: Id<'connection'>): Promise<FoundConnection> {
    await this.tenancy.project(projectId);
    return this.read(projectId, connectionId);
  }

  /** Changes a connection of any provider. Fields are merged as in `update`. */
  change(
    actor: Actor,
    projectId: Id<'project'>,
    connectionId: Id<'connection'>,
    { status, fields }: ChangeConnection,
  ): Promise<FoundConnection> {
    return this.database.transaction(actor, async () => {
      await this.tenancy.project(projectId);
      const connection = found(await this.connections.lockInProject(projectId, connectionId));
      if (status) connection.setStatus(status);
      if (fields) await this.changeFields(connection, fields);
      return this.withWarnings(connection);
    });
  }

  async delete(actor: Actor, projectId: Id<'project'>, connectionId: Id<'connection'>): Promise<void> {
    await this.database.transaction(actor, async (tx) => {
      await this.tenancy.project(projectId);
      tx.em.remove(found(await this.connections.lockInProject(projectId, connectionId)));
    });
  }

  private async changeFields(connection: Connection, sent: JsonObject): Promise<void> {
    const known = this.protocols.of(connection);
    const shown = shownFieldsOf(connection);
    refuseWithoutEffect(known, sent, shown);
    refuseSecretsElsewhere(known, sent, shown);
    const { value, issues } = check(fieldsSchema(known.description), this.merge(known, connection, sent));
    refuseFields(issues);
    const fields = value as JsonObject;
    this.checkAddresses(known, fields);
    refuseFields(await known.protocol.faultsIn(fields, connection.project.id));
    this.safe.put(connection, fields);
  }

  private merge(known: KnownProtocol, connection: Connection, sent: JsonObject): JsonObject {
    const shown = shownFieldsOf(connection);
    const secrets = this.safe.secretsOf(connection);
    const fields = reunite(shown, secrets ?? {});
    const kept = keepMasked(sent, shown, secrets ?? {});
    const merged = { ...fields, ...kept };
    for (const [member, value] of Object.entries(sent)) if (value === null) delete merged[member];
    // The secrets cannot be opened, so any that was not sent again would be replaced by its mask.
    if (!secrets && hasMasks(merged, shown, known.secrets)) throw gatewayErrors.connectionUnreadable();
    refuseMasks(known, kept);
    return merged;
  }

  private checkAddresses({ description }: KnownProtocol, fields: JsonObject): void {
    for (const member of description.addresses ?? []) {
      const address = fields[member];
      if (typeof address === 'string') this.outbound.checkAddress(address, `fields.${member}`);
    }
  }

  private withReadability(connection: Connection): FoundConnection {
    return { connection, isReadable: this.safe.secretsOf(connection) !== undefined, warnings: [] };
  }

  /** Lists leave warnings out, because computing them parses the templates of each connection. */
  private withWarnings(connection: Connection): FoundConnection {
    const fields = this.safe.fieldsOf(connection);
    const warnings = fields ? (this.protocols.find(connection)?.protocol.warningsOf(fields) ?? []) : [];
    return { connection, isReadable: fields !== undefined, warnings };
  }
}

function refuseMasks({ secrets }: KnownProtocol, fields: JsonObject): void {
  refuseFields(masksIn(fields, secrets).map((path) => ({ path, message: NO_SECRET })));
}

/**
 * Refuses fields without effect. A stored value that is sent back is accepted, because it changes nothing, and so is
 * null, which removes a field that an earlier release kept.
 */
function refuseWithoutEffect({ description }: KnownProtocol, sent: JsonObject, shown: JsonObject): void {
  const changes = Object.entries(sent).filter(
    ([name, value]) => value !== null && !isDeepStrictEqual(value, shown[name]),
  );
  const issues = ineffectiveIn(description, Object.fromEntries(changes));
  if (changes.some(([name]) => name === 'isEnable')) issues.push({ path: ['isEnable'], message: ENABLED_ELSEWHERE });
  // Calls use the model of the connection, which its users know it by.
  if ('MODEL_NAME' in description.fields.shape && changes.some(([name]) => name === 'MODEL_NAME'))
    issues.push({ path: ['MODEL_NAME'], message: NO_OTHER_MODEL });
  refuseFields(issues);
}

/** A secret that is not shown must not be sent to an address that the caller chooses, because it could be read there. */
function refuseSecretsElsewhere({ description, secrets }: KnownProtocol, sent: JsonObject, shown: JsonObject): void {
  const { addresses = [] } = description;
  if (addresses.every((member) => sent[member] === undefined || sent[member] === shown[member])) return;
  const next = withoutNulls({ ...shown, ...sent });
  if (!hasMasks(next, shown, secrets)) return;
  refuseFields(masksIn(next, secrets).map((path) => ({ path, message: OF_ANOTHER_ADDRESS })));
}

function withoutNulls(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

function refuseFields(issues: readonly { path: PropertyKey[]; message: string }[]): void {
  if (issues.length > 0) throw validationError(issues.map((issue) => ({ ...issue, path: ['fields', ...issue.path] })));
}

function found(connection: Connection | null): Connection {
  if (!connection) throw connectionsErrors.connectionNotFound();
  return connection;
}
