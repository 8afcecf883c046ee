import { Controller, Headers, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import type { AdminActor } from '../../../kernel/actor.js';
import type { Id } from '../../../kernel/ids.js';
import { mapPage } from '../../../kernel/page.js';
import { authErrors } from '../../../platform/auth/auth.errors.js';
import { Administrator } from '../../../platform/auth/callers.js';
import { ConsoleCaller } from '../../../platform/auth/console-caller.js';
import { data, page } from '../../../platform/route/answer.js';
import { PathId } from '../../../platform/route/path-id.js';
import { AdminRoute, Route } from '../../../platform/route/route.js';
import { consoleSessionList, type ConsoleSessionsRequest } from './console-session.list.js';
import { accessErrors } from '../access.errors.js';
import {
  ConsoleSessionGone,
  ConsoleSessionOfBrowser,
  ConsoleSessionView,
  NewConsoleSessionView,
  toConsoleSessionView,
  toCurrentConsoleSession,
  toNewConsoleSessionView,
} from './console-sessions.admin.schema.js';
import { ConsoleSessionsService } from './console-sessions.service.js';
import { shownUserAgent } from './user-agent.js';

@ApiTags('Administration: console')
@Controller()
export class ConsoleSessionsAdminController {
  constructor(
    private readonly sessions: ConsoleSessionsService,
    private readonly caller: ConsoleCaller,
  ) {}

  @AdminRoute('POST /console-sessions', {
    summary: 'Sign in to the console',
    right: 'read',
    description:
      'Exchanges the administration key for a cookie that scripts cannot read. The session ends after eight hours.',
    rightIn: 'anyProject',
    returns: data(NewConsoleSessionView),
    status: 201,
    errors: [accessErrors.consoleNeedsKey],
    // A repeat would need the secret of the cookie, which is kept nowhere.
    takesIdempotencyKey: false,
  })
  async signIn(
    @Administrator() actor: AdminActor,
    @Headers('user-agent') userAgent: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ) {
    const signedIn = await this.sessions.signIn(actor, shownUserAgent(userAgent));
    response.append('set-cookie', this.caller.cookie.with(signedIn.secret));
    return toNewConsoleSessionView(signedIn, actor);
  }

  @AdminRoute('GET /console-sessions', {
    summary: 'List who is signed in to the console, by default oldest first',
    rightIn: 'installation',
    returns: page(ConsoleSessionView),
  })
  async list(@Query({ schema: consoleSessionList.query }) query: ConsoleSessionsRequest) {
    return mapPage(await this.sessions.list(query), toConsoleSessionView);
  }

  @Route('GET /api/admin/v1/console-sessions/current', {
    access: 'public',
    summary: 'Read the session of this browser, with the token for its requests',
    description:
      'The request needs the cookie that was set at the sign-in. `data` is null if there is none, or if its session has ended.',
    returns: data(ConsoleSessionOfBrowser),
  })
  async current(@Headers('cookie') cookies: string | undefined) {
    const found = await this.caller.ofCookies(cookies);
    return found && toCurrentConsoleSession(found.session, found.secret);
  }

  @AdminRoute('DELETE /console-sessions/{consoleSessionId}', {
    summary: 'Sign this browser or another one out of the console',
    description:
      'Every administrator may sign out a browser of the same key or person. Only an owner may sign out others.',
    right: 'read',
    rightIn: 'anyProject',
    returns: data(ConsoleSessionGone),
    errors: [accessErrors.consoleSessionNotFound, authErrors.permissionDenied, authErrors.revocationPending],
    survivesRevocation: true,
  })
  async revoke(
    @Administrator() actor: AdminActor,
    @PathId('consoleSession') consoleSessionId: Id<'consoleSession'>,
    @Res({ passthrough: true }) response: Response,
  ) {
    await this.sessions.revoke(actor, consoleSessionId);
    if (actor.consoleSessionId === consoleSessionId) response.append('set-cookie', this.caller.cookie.gone());
    return { consoleSessionId };
  }
}
