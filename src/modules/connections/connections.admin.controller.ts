import { Body, Controller, Query } from '@nestjs/common';
import { z } from 'zod';
import { ApiTags } from '@nestjs/swagger';
import type { AdminActor } from '../../kernel/actor.js';
import type { Id } from '../../kernel/ids.js';
import { mapPage } from '../../kernel/page.js';
import { Administrator } from '../../platform/auth/callers.js';
import { currentRequest } from '../../platform/context/request-context.js';
import { data, page } from '../../platform/route/answer.js';
import { outboundErrors } from '../../platform/outbound/outbound.errors.js';
import { PathId } from '../../platform/route/path-id.js';
import { AdminRoute } from '../../platform/route/route.js';
import { connectionList, type ConnectionsRequest } from './connection.list.js';
import { ConnectionTests } from './connection-tests.js';
import {
  ChangeConnection,
  ConnectionGone,
  ConnectionProtocolView,
  ConnectionTested,
  toConnectionProtocolView,
} from './connections.admin.schema.js';
import { gatewayErrors } from '../gateway/gateway.errors.js';
import { connectionsErrors } from './connections.errors.js';
import { connectionProtocols } from './connections.port.js';
import { ConnectionView, toConnectionView } from './connections.schema.js';
import { ConnectionsService } from './connections.service.js';

@ApiTags('Administration: model connections')
@Controller()
export class ConnectionsAdminController {
  constructor(
    private readonly connections: ConnectionsService,
    private readonly tests: ConnectionTests,
  ) {}

  @AdminRoute('GET /connection-protocols', {
    summary: 'List the protocols in which connections call models, with the fields of each',
    rightIn: 'anyProject',
    returns: data(z.array(ConnectionProtocolView)),
  })
  protocols() {
    return connectionProtocols.all().map(toConnectionProtocolView);
  }

  @AdminRoute('GET /projects/{projectId}/connections', {
    summary: 'List the connections of a project, by default oldest first',
    returns: page(ConnectionView),
  })
  async list(
    @PathId('project') projectId: Id<'project'>,
    @Query({ schema: connectionList.query }) query: ConnectionsRequest,
  ) {
    return mapPage(await this.connections.page(projectId, query), toConnectionView);
  }

  @AdminRoute('GET /projects/{projectId}/connections/{connectionId}', {
    summary: 'Read a connection, with its secrets masked',
    returns: data(ConnectionView),
    errors: [connectionsErrors.connectionNotFound],
  })
  async read(@PathId('project') projectId: Id<'project'>, @PathId('connection') connectionId: Id<'connection'>) {
    return toConnectionView(await this.connections.readForAdministration(projectId, connectionId));
  }

  @AdminRoute('PATCH /projects/{projectId}/connections/{connectionId}', {
    summary: 'Change the status or the fields of a connection; an inactive one is not called',
    description:
      'Fields that are left out do not change, null removes an optional one, and a secret whose mask is sent keeps its value. With another address, a connection of the provider `API` needs its secrets again.',
    returns: data(ConnectionView),
    errors: [
      connectionsErrors.connectionNotFound,
      connectionsErrors.protocolMissing,
      gatewayErrors.connectionUnreadable,
      outboundErrors.addressNotAllowed,
    ],
  })
  async change(
    @Administrator() actor: AdminActor,
    @PathId('project') projectId: Id<'project'>,
    @PathId('connection') connectionId: Id<'connection'>,
    @Body({ schema: ChangeConnection }) change: ChangeConnection,
  ) {
    return toConnectionView(await this.connections.change(actor, projectId, connectionId, change));
  }

  @AdminRoute('POST /projects/{projectId}/connections/{connectionId}/test', {
    summary: 'Call the model of a connection with a few words, and report the result',
    description: 'The call is a real one: the provider charges for it, and the ledger records it as a test call.',
    returns: data(ConnectionTested),
    takesIdempotencyKey: false,
    errors: [
      connectionsErrors.connectionNotFound,
      connectionsErrors.protocolMissing,
      gatewayErrors.connectionInactive,
      gatewayErrors.connectionUnreadable,
    ],
  })
  async test(@PathId('project') projectId: Id<'project'>, @PathId('connection') connectionId: Id<'connection'>) {
    return this.tests.run(projectId, connectionId, currentRequest()!.signal);
  }

  @AdminRoute('DELETE /projects/{projectId}/connections/{connectionId}', {
    summary: 'Delete a connection and its secrets',
    returns: data(ConnectionGone),
    errors: [connectionsErrors.connectionNotFound],
  })
  async delete(
    @Administrator() actor: AdminActor,
    @PathId('project') projectId: Id<'project'>,
    @PathId('connection') connectionId: Id<'connection'>,
  ) {
    return this.connections.delete(actor, projectId, connectionId).then(() => ({ connectionId }));
  }
}
