import { Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { AdminActor } from '../../../kernel/actor.js';
import type { Id } from '../../../kernel/ids.js';
import { mapPage } from '../../../kernel/page.js';
import { Administrator } from '../../../platform/auth/callers.js';
import { data, page } from '../../../platform/route/answer.js';
import { PathId } from '../../../platform/route/path-id.js';
import { AdminRoute } from '../../../platform/route/route.js';
import { ErasureService } from './erasure.service.js';
import { sessionsErrors } from '../sessions.errors.js';
import { ErasureView, toErasureView, toUserView, UsersQuery, UserView } from './users.admin.schema.js';

@ApiTags('Administration: sessions')
@Controller()
export class UsersAdminController {
  constructor(private readonly erasure: ErasureService) {}

  @AdminRoute('GET /apps/{appId}/users', {
    summary: 'List the users of an app, or find the one of a reference',
    returns: page(UserView),
  })
  async list(@PathId('app') appId: Id<'app'>, @Query({ schema: UsersQuery }) { reference, ...request }: UsersQuery) {
    return mapPage(await this.erasure.listUsers(appId, reference, request), toUserView);
  }

  @AdminRoute('POST /apps/{appId}/users/{userId}/erasure', {
    summary: 'Erase what is kept of a user',
    description:
      'Sessions end and go with all that was said in them, their traces and attachments; in the ledger the texts of their calls go, and the counts stay. It is a job; GET on the same path reports.',
    returns: data(ErasureView),
    status: 201,
    errors: [sessionsErrors.userNotFound],
  })
  async start(@Administrator() actor: AdminActor, @PathId('app') appId: Id<'app'>, @PathId('user') userId: Id<'user'>) {
    return toErasureView(await this.erasure.start(actor, appId, userId));
  }

  @AdminRoute('GET /apps/{appId}/users/{userId}/erasure', {
    summary: 'Read how far the erasure of a user is, and what it took away',
    returns: data(ErasureView),
    errors: [sessionsErrors.userNotFound, sessionsErrors.erasureNotFound],
  })
  async read(@PathId('app') appId: Id<'app'>, @PathId('user') userId: Id<'user'>) {
    return toErasureView(await this.erasure.read(appId, userId));
  }
}
