import { Body, Controller, Param } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { KeyActor } from '../../kernel/actor.js';
import type { Id } from '../../kernel/ids.js';
import { CallingKey } from '../../platform/auth/callers.js';
import { currentRequest } from '../../platform/context/request-context.js';
import { plain } from '../../platform/route/answer.js';
import { jsonBody } from '../../platform/route/body-format.js';
import { PathId } from '../../platform/route/path-id.js';
import { Route } from '../../platform/route/route.js';
import { sessionRefusals } from '../sessions/sessions.service.js';
import { environmentNotFound } from '../tenancy/tenancy.service.js';
import { agentsErrors } from './agents.errors.js';
import { runOrStream, toEventStream } from './run-stream.js';
import { RunView, StartRun, toRunView } from './runs.schema.js';
import { RunsService } from './runs.service.js';

const MAX_BODY_MIB = 20;

@ApiTags('Sessions')
@Controller()
export class RunsController {
  constructor(private readonly runs: RunsService) {}

  @Route('POST /api/v2/apps/{appId}/environments/{envName}/runs', {
    access: 'RUN_API',
    summary: 'Send a message to the agent of an environment, and get its answer',
    description:
      'The session is found or made as when it is created. With `stream: true` the answer is server-sent events: `run`, any number of `delta`, and `done` with the same as without. A failed run answers with the agent’s fallback text and `error`. Whoever goes away before the answer breaks the run off.',
    returns: runOrStream,
    bodies: [jsonBody(MAX_BODY_MIB)],
    takesIdempotencyKey: false,
    errors: [environmentNotFound, ...sessionRefusals, agentsErrors.noActiveDeployment, agentsErrors.queueFull],
  })
  async start(
    @CallingKey() actor: KeyActor,
    @PathId('app') appId: Id<'app'>,
    @Param('envName') envName: string,
    @Body({ schema: StartRun }) body: StartRun,
  ) {
    const started = await this.runs.start(actor, appId, envName, body);
    const { signal } = currentRequest()!;
    if (body.stream) return toEventStream(this.runs, started, signal);
    return toRunView(await this.runs.answer(started.runId, started.welcome, signal));
  }

  @Route('GET /api/v2/apps/{appId}/environments/{envName}/runs/{runId}', {
    access: 'RUN_API',
    summary: 'Read a run: how far it is, or its answer',
    description: 'The output goes when the session ends.',
    returns: plain(RunView),
    errors: [environmentNotFound, agentsErrors.runNotFound],
  })
  async read(@PathId('app') appId: Id<'app'>, @Param('envName') envName: string, @PathId('run') runId: Id<'run'>) {
    return toRunView(await this.runs.readIn(appId, envName, runId));
  }
}
