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
    summary: 'Create a session, or find the existing live one',
    description:
      'The status is 201 if the session is new. It is 200 if the session was found; the answer then has no events and no output. If the app’s tools need a sign-in that the user has not done yet, the answer has another shape: `sessionInfo`, and an event `IDP_Redirect`.',
    returns: plain(SessionOpened),
    status: 201,
    statusOf: ({ output }) => (output.length > 0 ? 201 : 200),
    otherAnswers: {
      200: { description: 'The live session that was found, without events and output.', example: FOUND_SESSION },
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
    summary: 'List sessions by the time at which they began, newest first',
    right: 'read',
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
    summary: 'Read a session, with its traces if they are requested',
    description: 'Durations are in milliseconds. `page` and `limit` apply to the traces.',
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
    summary: 'Terminate a session and delete its memory',
    description: 'The record of the session and its traces stay. Terminating it again gives the same answer.',
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
