import { Body, Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { AdminActor } from '../../kernel/actor.js';
import type { Id } from '../../kernel/ids.js';
import { mapPage } from '../../kernel/page.js';
import { Administrator } from '../../platform/auth/callers.js';
import { data, page } from '../../platform/route/answer.js';
import { PathId } from '../../platform/route/path-id.js';
import { AdminRoute } from '../../platform/route/route.js';
import { jwtClientList, type JwtClientsRequest } from './jwt-client.list.js';
import { agentAssistErrors } from './agent-assist.errors.js';
import {
  ChangeJwtClient,
  CreateJwtClient,
  JwtClientGone,
  JwtClientView,
  NewJwtClientView,
  RotateJwtClient,
  toJwtClientView,
  toNewJwtClientView,
} from './jwt-clients.admin.schema.js';
import { JwtClientsService } from './jwt-clients.service.js';

@ApiTags('Administration: agent assist')
@Controller()
export class JwtClientsAdminController {
  constructor(private readonly clients: JwtClientsService) {}

  @AdminRoute('POST /projects/{projectId}/jwt-clients', {
    summary: 'Create a client that signs the tokens of hooks',
    description:
      'A token names the client in `appId` (or `iss`). An HS256 client gets a secret; an RS256 client sends its public key.',
    returns: data(NewJwtClientView),
    status: 201,
    errors: [agentAssistErrors.publicKeyNotTaken],
  })
  async create(
    @Administrator() actor: AdminActor,
    @PathId('project') projectId: Id<'project'>,
    @Body({ schema: CreateJwtClient }) body: CreateJwtClient,
  ) {
    return toNewJwtClientView(await this.clients.create(actor, projectId, body));
  }

  @AdminRoute('GET /projects/{projectId}/jwt-clients', {
    summary: 'List the JWT clients of a project, by default oldest first',
    returns: page(JwtClientView),
  })
  async list(
    @PathId('project') projectId: Id<'project'>,
    @Query({ schema: jwtClientList.query }) query: JwtClientsRequest,
  ) {
    return mapPage(await this.clients.list(projectId, query), toJwtClientView);
  }

  @AdminRoute('GET /jwt-clients/{clientId}', {
    summary: 'Read a JWT client',
    returns: data(JwtClientView),
    errors: [agentAssistErrors.jwtClientNotFound],
  })
  async read(@PathId('jwtClient', 'clientId') clientId: Id<'jwtClient'>) {
    return toJwtClientView(await this.clients.read(clientId));
  }

  @AdminRoute('PATCH /jwt-clients/{clientId}', {
    summary: 'Rename a JWT client, or change the members that its tokens need',
    returns: data(JwtClientView),
    errors: [agentAssistErrors.jwtClientNotFound],
  })
  async change(
    @Administrator() actor: AdminActor,
    @PathId('jwtClient', 'clientId') clientId: Id<'jwtClient'>,
    @Body({ schema: ChangeJwtClient }) body: ChangeJwtClient,
  ) {
    return toJwtClientView(await this.clients.change(actor, clientId, body));
  }

  @AdminRoute('POST /jwt-clients/{clientId}/rotate', {
    summary: 'Give a JWT client a new secret or public key',
    description:
      'The id of the client does not change. Tokens signed with the previous key are accepted for `graceSeconds`.',
    returns: data(NewJwtClientView),
    errors: [agentAssistErrors.jwtClientNotFound, agentAssistErrors.publicKeyNotTaken],
  })
  async rotate(
    @Administrator() actor: AdminActor,
    @PathId('jwtClient', 'clientId') clientId: Id<'jwtClient'>,
    @Body({ schema: RotateJwtClient }) body: RotateJwtClient,
  ) {
    return toNewJwtClientView(await this.clients.rotate(actor, clientId, body));
  }

  @AdminRoute('DELETE /jwt-clients/{clientId}', {
    summary: 'Delete a JWT client, so that its tokens are no longer accepted',
    returns: data(JwtClientGone),
    errors: [agentAssistErrors.jwtClientNotFound],
  })
  async delete(@Administrator() actor: AdminActor, @PathId('jwtClient', 'clientId') clientId: Id<'jwtClient'>) {
    return this.clients.delete(actor, clientId).then(() => ({ clientId }));
  }
}
