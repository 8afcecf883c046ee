import { Body, Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { KeyActor } from '../../kernel/actor.js';
import type { Id } from '../../kernel/ids.js';
import { CallingKey } from '../../platform/auth/callers.js';
import { computeErrors } from '../../platform/compute/compute.errors.js';
import { outboundErrors } from '../../platform/outbound/outbound.errors.js';
import { plain } from '../../platform/route/answer.js';
import { PathId } from '../../platform/route/path-id.js';
import { Route } from '../../platform/route/route.js';
import { gatewayErrors } from '../gateway/gateway.errors.js';
import { connectionsErrors } from './connections.errors.js';
import {
  ConnectionCreated,
  ConnectionList,
  ConnectionsQuery,
  ConnectionUpdated,
  ConnectionView,
  CreateConnection,
  toConnectionCreated,
  toConnectionSummary,
  toConnectionUpdated,
  toConnectionView,
  UpdateConnection,
} from './connections.schema.js';
import { ConnectionsService } from './connections.service.js';

@ApiTags('Model connections')
@Controller()
export class ConnectionsController {
  constructor(private readonly connections: ConnectionsService) {}

  @Route('GET /api/public/connections', {
    access: 'CONNECTIONS_VIEW',
    summary: 'List connections, newest first',
    returns: plain(ConnectionList),
  })
  async list(@CallingKey() { projectId }: KeyActor, @Query({ schema: ConnectionsQuery }) query: ConnectionsQuery) {
    const { found, total } = await this.connections.list(projectId, query);
    return { connections: found.map(toConnectionSummary), total };
  }

  @Route('GET /api/public/connections/{connectionId}', {
    access: 'CONNECTIONS_VIEW',
    summary: 'Read a connection, with its secrets masked',
    returns: plain(ConnectionView),
    errors: [connectionsErrors.connectionNotFound],
  })
  async read(@CallingKey() { projectId }: KeyActor, @PathId('connection') connectionId: Id<'connection'>) {
    return toConnectionView(await this.connections.read(projectId, connectionId));
  }

  @Route('POST /api/public/connections', {
    access: 'CONNECTIONS_MANAGE',
    summary: 'Create a connection',
    description: 'With the provider `API`, the members that describe the endpoint may be in `fields` or beside it.',
    returns: plain(ConnectionCreated),
    status: 201,
    errors: [outboundErrors.addressNotAllowed, computeErrors.busy],
  })
  async create(@CallingKey() actor: KeyActor, @Body({ schema: CreateConnection }) body: CreateConnection) {
    return toConnectionCreated(await this.connections.create(actor, actor.projectId, body));
  }

  @Route('PATCH /api/public/connections/{connectionId}', {
    access: 'CONNECTIONS_MANAGE',
    summary: 'Change fields of a connection',
    description:
      'Fields that are left out do not change, null removes an optional one, and a secret whose mask is sent keeps its value. Connections of the provider `API` are changed by administrators.',
    returns: plain(ConnectionUpdated),
    errors: [
      connectionsErrors.connectionNotFound,
      connectionsErrors.connectionNotUpdatable,
      connectionsErrors.protocolMissing,
      outboundErrors.addressNotAllowed,
      gatewayErrors.connectionUnreadable,
    ],
  })
  async update(
    @CallingKey() actor: KeyActor,
    @PathId('connection') connectionId: Id<'connection'>,
    @Body({ schema: UpdateConnection }) { fields }: UpdateConnection,
  ) {
    return toConnectionUpdated(await this.connections.update(actor, connectionId, fields));
  }
}
