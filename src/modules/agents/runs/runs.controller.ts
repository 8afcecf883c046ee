import { Body, Controller, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import type { KeyActor } from '../../../kernel/actor.js';
import type { Id } from '../../../kernel/ids.js';
import { CallingKey } from '../../../platform/auth/callers.js';
import { currentRequest } from '../../../platform/context/request-context.js';
import { Idempotency } from '../../../platform/idempotency/idempotency.js';
import { plain } from '../../../platform/route/answer.js';
import { jsonBody } from '../../../platform/route/body-format.js';
import { PathId, PathName } from '../../../platform/route/path-id.js';
import { Route } from '../../../platform/route/route.js';
import { validationError } from '../../../platform/route/validation.js';
import { ENVIRONMENT_IN_PATH } from '../../tenancy/app.entity.js';
import { sessionRefusals } from '../../sessions/sessions.service.js';
import { tenancyErrors } from '../../tenancy/tenancy.errors.js';
import { agentsErrors } from '../agents.errors.js';
import { runOrStream, toEventStream } from './run-stream.js';
import { MAX_RUN_MIB, RunView, sessionNamed, StartRun, toRunView } from './runs.schema.js';
import { SessionGate } from './session-gate.service.js';
import { RunsService } from './runs.service.js';

const KEY_WITH_STREAM = {
  path: ['idempotency-key'],
  message: 'cannot be used with a stream, which cannot be repeated; leave it out, or send `stream: false`',
};

@ApiTags('Runs')
@Controller()
export class RunsController {
  constructor(
    private readonly runs: RunsService,
    private readonly idempotency: Idempotency,
    private readonly gate: SessionGate,
  ) {}

  @Route('POST /api/v2/apps/{appId}/environments/{envName}/runs', {
    access: 'RUN_API',
    summary: 'Send a message to the agent of an environment, and get its answer',
    description:
      'The session is found or created as by the request that creates sessions. With `stream: true` the answer is server-sent events: `run`, any number of `delta`, and `done` with the same members as without. A failed run answers with the agent’s fallback text and `error`. A client that disconnects before the answer cancels the run, unless the request has an `Idempotency-Key`. The same request with that key then gets the answer, and 409 `IDEMPOTENCY_IN_PROGRESS` while the run works, for up to 110 seconds. Streams accept no such key. A run that takes longer than 110 seconds is answered with its state; read it again until it has ended.',
    returns: runOrStream,
    bodies: [jsonBody(MAX_RUN_MIB)],
    takesIdempotencyKey: 'itself',
    errors: [
      tenancyErrors.environmentNotFound,
      ...sessionRefusals,
      agentsErrors.noActiveDeployment,
      agentsErrors.queueFull,
      agentsErrors.runNotFound,
    ],
  })
  async start(
    @CallingKey() actor: KeyActor,
    @PathId('app') appId: Id<'app'>,
    @PathName('envName', ENVIRONMENT_IN_PATH) envName: string,
    @Req() request: Request,
    @Body({ schema: StartRun }) body: StartRun,
  ) {
    const { signal } = currentRequest()!;
    if (body.stream && request.headers['idempotency-key'] !== undefined) throw validationError([KEY_WITH_STREAM]);
    const start = () => this.runs.start(actor, appId, envName, body);
    const { begun, hasKey, isRepeat } = await this.gate.pass(sessionNamed(appId, envName, body), () =>
      this.idempotency.begin(actor, request, start),
    );
    if (body.stream) return toEventStream(this.runs, begun, signal);
    return toRunView(await (isRepeat ? this.runs.answerRepeat(begun) : this.runs.answer(begun, signal, hasKey)));
  }

  @Route('GET /api/v2/apps/{appId}/environments/{envName}/runs/{runId}', {
    access: 'RUN_API',
    summary: 'Read the state of a run, or its answer',
    description: 'The output is deleted when the session ends.',
    returns: plain(RunView),
    errors: [tenancyErrors.environmentNotFound, agentsErrors.runNotFound],
  })
  async read(
    @PathId('app') appId: Id<'app'>,
    @PathName('envName', ENVIRONMENT_IN_PATH) envName: string,
    @PathId('agentRun', 'runId') runId: Id<'agentRun'>,
  ) {
    return toRunView(await this.runs.readIn(appId, envName, runId));
  }
}
