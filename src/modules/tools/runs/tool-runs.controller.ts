import { Body, Controller, Query, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import type { KeyActor } from '../../../kernel/actor.js';
import type { Id } from '../../../kernel/ids.js';
import { CallingKey } from '../../../platform/auth/callers.js';
import { currentRequest } from '../../../platform/context/request-context.js';
import { Idempotency } from '../../../platform/idempotency/idempotency.js';
import { plain } from '../../../platform/route/answer.js';
import { PathId } from '../../../platform/route/path-id.js';
import { rendered } from '../../../platform/transfer/rendered-json.js';
import { Route } from '../../../platform/route/route.js';
import { CheckedInputs } from './checked-inputs.js';
import { toolRunList, type ToolRunsRequest } from './tool-run.list.js';
import { ToolRuns } from './tool-runs.service.js';
import { toolsErrors } from '../tools.errors.js';
import {
  ExecuteTool,
  RunAnswer,
  RunList,
  RunView,
  toRunAnswer,
  toRunMembers,
  toRunJson,
} from '../definitions/tools.schema.js';

@ApiTags('Tool runs')
@Controller()
export class ToolRunsController {
  constructor(
    private readonly runs: ToolRuns,
    private readonly idempotency: Idempotency,
    private readonly inputs: CheckedInputs,
  ) {}

  @Route('POST /api/public/tools/{toolId}/execute', {
    access: 'RUN_API',
    summary: 'Run a deployed tool',
    description:
      'The answer comes when the run has ended or waits for a callback (`suspended`), and with `isAsync: true` at once. The same `Idempotency-Key` means the same run, whose present state is the answer.',
    returns: plain(RunAnswer),
    takesIdempotencyKey: 'itself',
    errors: [
      toolsErrors.toolNotFound,
      toolsErrors.callflowNotFound,
      toolsErrors.toolNotDeployed,
      toolsErrors.inputInvalid,
    ],
  })
  async execute(
    @CallingKey() actor: KeyActor,
    @PathId('tool') toolId: Id<'tool'>,
    @Req() request: Request,
    @Body({ schema: ExecuteTool }) body: ExecuteTool,
  ) {
    const { begun } = await this.inputs.begin(actor.projectId, (checked) =>
      this.idempotency.begin(actor, request, () => this.runs.start(actor, toolId, body, checked)),
    );
    if (body.isAsync) return toRunAnswer(await this.runs.current(begun));
    return toRunAnswer(await this.runs.ended(begun, body.timeoutMs, currentRequest()!.signal));
  }

  @Route('GET /api/public/tools/{toolId}/runs', {
    access: 'RUN_API',
    summary: 'List the runs of a tool, by default newest first',
    returns: plain(RunList),
    errors: [toolsErrors.toolNotFound],
  })
  async list(
    @CallingKey() { projectId }: KeyActor,
    @PathId('tool') toolId: Id<'tool'>,
    @Query({ schema: toolRunList.query }) request: ToolRunsRequest,
  ) {
    const { items, nextCursor } = await this.runs.list(projectId, toolId, request);
    return { runs: items.map(toRunMembers), nextCursor };
  }

  @Route('GET /api/public/tools/{toolId}/runs/{runId}', {
    access: 'RUN_API',
    summary: 'Read a run with each of its nodes; secrets are masked',
    returns: rendered(RunView),
    errors: [toolsErrors.toolNotFound, toolsErrors.runNotFound],
  })
  async read(
    @CallingKey() { projectId }: KeyActor,
    @PathId('tool') toolId: Id<'tool'>,
    @PathId('toolRun', 'runId') runId: Id<'toolRun'>,
  ) {
    const { run, steps } = await this.runs.read(projectId, toolId, runId);
    return toRunJson(run, steps);
  }

  @Route('POST /api/public/tools/{toolId}/runs/{runId}/cancel', {
    access: 'RUN_API',
    summary: 'Cancel a run that has not ended',
    returns: plain(RunAnswer),
    takesIdempotencyKey: false,
    errors: [toolsErrors.toolNotFound, toolsErrors.runNotFound, toolsErrors.runEnded],
  })
  async cancel(
    @CallingKey() actor: KeyActor,
    @PathId('tool') toolId: Id<'tool'>,
    @PathId('toolRun', 'runId') runId: Id<'toolRun'>,
  ) {
    const { id, state } = await this.runs.cancel(actor, actor.projectId, toolId, runId);
    return { runId: id, status: state };
  }
}
