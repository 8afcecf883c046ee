import { Body, Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { KeyActor } from '../../kernel/actor.js';
import type { Id } from '../../kernel/ids.js';
import { CallingKey } from '../../platform/auth/callers.js';
import { plain } from '../../platform/route/answer.js';
import { PathId, PathName } from '../../platform/route/path-id.js';
import { Route } from '../../platform/route/route.js';
import { ENVIRONMENT_IN_PATH } from '../tenancy/app.entity.js';
import { tenancyErrors } from '../tenancy/tenancy.errors.js';
import { sessionsErrors } from './sessions.errors.js';
import {
  DetailsQuery,
  ListSessions,
  SessionDetails,
  SessionList,
  SessionsQuery,
  toSessionDetails,
  toSessionList,
} from './list/sessions-read.schema.js';
import { SessionsReading } from './list/sessions-reading.service.js';
import {
  CreateSession,
  FOUND_SESSION,
  SessionEnded,
  SessionOpened,
  TerminateSession,
  toSessionEnded,
  toSessionOpened,
} from './sessions.schema.js';
import { SessionsService } from './sessions.service.js';

@ApiTags('Sessions')
@Controller()
export class SessionsController {
  constructor(
    private readonly sessions: SessionsService,
    private readonly reading: SessionsReading,
  ) {}

  @Route('POST /api/v2/apps/{appId}/environments/{envName}/sessions', {
    access: 'SESSION_CREATION',
    summary: 'Create a session, or find the live one that is meant',
    description:
      'Answers 201 where the session is new, and 200 where it was found, then without events and output. Where the app’s tools need the user to sign in somewhere, and the user has not, the answer has another shape: `sessionInfo`, and an event `IDP_Redirect`.',
    returns: plain(SessionOpened),
    status: 201,
    statusOf: ({ output }) => (output.length > 0 ? 201 : 200),
    otherAnswers: {
      200: { description: 'The live session that is meant, without events and output', example: FOUND_SESSION },
    },
    errors: [
      tenancyErrors.environmentNotFound,
      sessionsErrors.sessionNotFound,
      sessionsErrors.sessionTerminated,
      sessionsErrors.identityConflict,
      sessionsErrors.ownerMismatch,
    ],
  })
  async create(
    @CallingKey() actor: KeyActor,
    @PathId('app') appId: Id<'app'>,
    @PathName('envName', ENVIRONMENT_IN_PATH) envName: string,
    @Body({ schema: CreateSession }) body: CreateSession,
  ) {
    return toSessionOpened(await this.sessions.create(actor, appId, envName, body));
  }

  @Route('POST /api/public/apps/{appId}/sessions/list', {
    access: 'SESSIONS_LIST',
    summary: 'List sessions by when they began, newest first',
    returns: plain(SessionList),
    takesIdempotencyKey: false,
  })
  async list(
    @CallingKey() { projectId }: KeyActor,
    @PathId('app') appId: Id<'app'>,
    @Query({ schema: SessionsQuery }) query: SessionsQuery,
    @Body({ schema: ListSessions }) filter: ListSessions,
  ) {
    const { sessions, total } = await this.reading.list(projectId, appId, filter, query);
    return toSessionList(sessions, total);
  }

  @Route('GET /api/public/apps/{appId}/sessions', {
    access: 'SESSIONS_LIST',
    summary: 'Read a session, with its traces where they are asked for',
    description: 'Times are in milliseconds. `page` and `limit` are about the traces.',
    returns: plain(SessionDetails),
    errors: [sessionsErrors.sessionNotFound],
  })
  async details(
    @CallingKey() { projectId }: KeyActor,
    @PathId('app') appId: Id<'app'>,
    @Query({ schema: DetailsQuery }) query: DetailsQuery,
  ) {
    return toSessionDetails(await this.reading.details(projectId, appId, query), query);
  }

  @Route('POST /api/v2/apps/{appId}/environments/{envName}/sessions/terminate', {
    access: 'SESSION_TERMINATION',
    summary: 'Terminate a session and delete what it remembers',
    description: 'Its record and its traces stay. Terminating again answers the same.',
    returns: plain(SessionEnded),
    takesIdempotencyKey: false,
    errors: [tenancyErrors.environmentNotFound, sessionsErrors.sessionNotFound, sessionsErrors.identityConflict],
  })
  async terminate(
    @CallingKey() actor: KeyActor,
    @PathId('app') appId: Id<'app'>,
    @PathName('envName', ENVIRONMENT_IN_PATH) envName: string,
    @Body({ schema: TerminateSession }) body: TerminateSession,
  ) {
    const { session, attachments } = await this.sessions.terminate(actor, appId, envName, body);
    return toSessionEnded(session, attachments);
  }
}
