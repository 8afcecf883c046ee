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
import { userList, type UsersRequest } from '../user.list.js';
import { ErasureView, toErasureView, toUserView, UserView } from './users.admin.schema.js';

@ApiTags('Administration: sessions')
@Controller()
export class UsersAdminController {
  constructor(private readonly erasure: ErasureService) {}

  @AdminRoute('GET /apps/{appId}/users', {
    summary: 'List the users of an app, by default oldest first, or find the user with a reference',
    returns: page(UserView),
  })
  async list(@PathId('app') appId: Id<'app'>, @Query({ schema: userList.query }) query: UsersRequest) {
    return mapPage(await this.erasure.listUsers(appId, query), toUserView);
  }

  @AdminRoute('POST /apps/{appId}/users/{userId}/erasure', {
    summary: 'Erase the personal data of a user',
    description:
      'The user’s sessions end and are deleted with their messages, traces and attachments. In the ledger, the texts of their calls are deleted, and the counts stay. The erasure is a job; GET on the same path reports its progress.',
    returns: data(ErasureView),
    status: 201,
    errors: [sessionsErrors.userNotFound],
  })
  async start(@Administrator() actor: AdminActor, @PathId('app') appId: Id<'app'>, @PathId('user') userId: Id<'user'>) {
    return toErasureView(await this.erasure.start(actor, appId, userId));
  }

  @AdminRoute('GET /apps/{appId}/users/{userId}/erasure', {
    summary: 'Read the progress of the erasure of a user, and what it has deleted',
    returns: data(ErasureView),
    errors: [sessionsErrors.userNotFound, sessionsErrors.erasureNotFound],
  })
  async read(@PathId('app') appId: Id<'app'>, @PathId('user') userId: Id<'user'>) {
    return toErasureView(await this.erasure.read(appId, userId));
  }
}
