import { Body, Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { AdminActor } from '../../../kernel/actor.js';
import type { Id } from '../../../kernel/ids.js';
import { Administrator } from '../../../platform/auth/callers.js';
import { currentRequest } from '../../../platform/context/request-context.js';
import { jsonBody } from '../../../platform/route/body-format.js';
import { PathId } from '../../../platform/route/path-id.js';
import { AdminRoute } from '../../../platform/route/route.js';
import { sessionRefusals } from '../../sessions/sessions.service.js';
import { agentsErrors } from '../agents.errors.js';
import { runOrStream, toEventStream } from './run-stream.js';
import { MAX_RUN_MIB, sessionNamed, toRunView, TryVersion } from './runs.schema.js';
import { RunsService } from './runs.service.js';
import { SessionGate } from './session-gate.service.js';

@ApiTags('Administration: agents')
@Controller()
export class RunsAdminController {
  constructor(
    private readonly runs: RunsService,
    private readonly gate: SessionGate,
  ) {}

  @AdminRoute('POST /apps/{appId}/agents/{agentId}/versions/{versionId}/runs', {
    summary: 'Send a message to a version of an agent, whether it is active or not',
    description:
      'The answer is that of the request that sends a message to the agent of an environment, also with `stream: true`. The session belongs to the `environment`, in which the version does not become active. A client that disconnects before the answer cancels the run.',
    returns: runOrStream,
    bodies: [jsonBody(MAX_RUN_MIB)],
    takesIdempotencyKey: false,
    errors: [
      agentsErrors.agentNotFound,
      agentsErrors.versionNotFound,
      agentsErrors.queueFull,
      agentsErrors.runNotFound,
      ...sessionRefusals,
    ],
  })
  async tryVersion(
    @Administrator() actor: AdminActor,
    @PathId('app') appId: Id<'app'>,
    @PathId('agent') agentId: Id<'agent'>,
    @PathId('agentVersion', 'versionId') versionId: Id<'agentVersion'>,
    @Body({ schema: TryVersion }) body: TryVersion,
  ) {
    const { signal } = currentRequest()!;
    const begun = await this.gate.pass(sessionNamed(appId, body.environment, body), () =>
      this.runs.tryVersion(actor, appId, agentId, versionId, body),
    );
    if (body.stream) return toEventStream(this.runs, begun, signal);
    return toRunView(await this.runs.answer(begun, signal, false));
  }
}
