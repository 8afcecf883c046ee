import type { Transaction } from '../../../platform/database/transaction.js';
import { Injectable } from '@nestjs/common';
import { setImmediate as turn } from 'node:timers/promises';
import { SYSTEM } from '../../../kernel/actor.js';
import { clock } from '../../../kernel/clock.js';
import type { Id } from '../../../kernel/ids.js';
import { JsonText } from '../../../kernel/json-text.js';
import { ComputeFailure } from '../../../platform/compute/compute-task.js';
import { Vault } from '../../../platform/crypto/vault.js';
import { Database } from '../../../platform/database/database.js';
import { Jobs } from '../../../platform/queue/jobs.js';
import { CompiledTools } from '../definitions/compiled-tools.js';
import type { FlowNode } from '../documents/node-schemas.js';
import { NodeFailure } from '../node-kind.port.js';
import { NodeKinds } from '../nodes/node-kinds.js';
import { TemplateFailure, type TemplateFault } from '../../../platform/template/filling.js';
import { PublicOrigin } from '../../../platform/links/public-origin.js';
import { RunEndings } from './run-endings.js';
import { tokensOf } from './run-tokens.js';
import { Mask } from './masking.js';
import { Records } from './records.js';
import { RUN_REASONS, type RunReason } from '../tools.reasons.js';
import { type DoneStep, RunWalk } from './run-walk.js';
import { SuspensionRepository } from '../callbacks/suspension.repository.js';
import { Suspensions } from '../callbacks/suspensions.js';
import type { ToolRunRow } from './tool-run.entity.js';
import { type RunTime, ToolRunRepository } from './tool-run.repository.js';
import { ToolRunStepRepository } from './tool-run-step.repository.js';
import { endDelay, endSuspension } from '../tools.jobs.js';

/** A flow may have cycles, but a run with more steps than this does not leave one of them. */
const MAX_STEPS = 1_000;
/** The limit of a run's recorded inputs and outputs, because reading a run answers with all of them. */
const MAX_CHARACTERS = 16 * 1024 * 1024;

const TEMPLATE_REASONS: Record<TemplateFault, RunReason> = {
  failed: 'TEMPLATE_FAILED',
  time: 'TEMPLATE_TIMED_OUT',
  size: 'TEMPLATE_TOO_LARGE',
};

/** Another process has taken the run over, or it is over. Further work in this process has no effect. */
export class RunLost extends Error {}

class RunTimedOut extends Error {}

/**
 * Runs the nodes of a flow one by one. The output of a node is committed before the next one begins, so another process
 * can continue the run.
 */
@Injectable()
export class RunEngine {
  constructor(
    private readonly runs: ToolRunRepository,
    private readonly steps: ToolRunStepRepository,
    private readonly tools: CompiledTools,
    private readonly kinds: NodeKinds,
    private readonly suspensions: SuspensionRepository,
    private readonly openSuspensions: Suspensions,
    private readonly endings: RunEndings,
    private readonly records: Records,
    private readonly origin: PublicOrigin,
    private readonly jobs: Jobs,
    private readonly vault: Vault,
    private readonly database: Database,
  ) {}

  /**
   * Returns when the run has ended or is suspended. If the signal is aborted, it throws the reason and leaves the run.
   */
  async drive(runId: Id<'toolRun'>, signal: AbortSignal): Promise<void> {
    const run = await this.database.ask(this.runs.takeOver(runId));
    if (!run) return;
    const walk = new RunWalk(run, await this.tools.of(run.versionId), tokensOf(this.vault, run), this.vault);
    const steps = await this.database.ask(this.steps.ofRun(runId));
    for (const step of steps) walk.replay(step);
    const last = steps.at(-1);
    // An earlier process has committed the last step, but not the end of the run.
    if (!walk.at && last) return this.finish(walk, last.status === 'failed' ? errorOf(last) : null, run);
    await this.walkOn(walk, signal);
  }

  private async walkOn(walk: RunWalk, signal: AbortSignal): Promise<void> {
    const begun = performance.now();
    const time = () => ({
      activeMs: Math.round(walk.run.activeMs + performance.now() - begun),
      computedMs: walk.budget.spentMs,
    });
    const late = AbortSignal.timeout(Math.max(1, walk.run.timeoutMs - walk.run.activeMs));
    const both = AbortSignal.any([signal, late]);
    await this.prepareWait(walk);
    while (walk.at) {
      const node = walk.at;
      if (walk.stepsDone >= MAX_STEPS) {
        const message = `The run took more than ${MAX_STEPS} steps, because its flow repeats without end.`;
        return this.finish(walk, { code: 'TOO_MANY_STEPS', message }, time());
      }
      // A node that only computes awaits nothing. Without this, neither other requests nor the run's timer would get a
      // turn.
      if (this.kinds.isPure(node)) await turn();
      else await this.keep(walk, time());
      const startedAt = clock.now();
      try {
        const done = await this.orTimedOut(() => this.runNode(node, walk, both), signal, late);
        if (walk.flow.waits.has(node.id)) {
          if (await this.wait(walk, node, done.until!, time())) return;
          continue;
        }
        walk.completed(node, startedAt, done);
        if (walk.charactersKept > MAX_CHARACTERS) return this.finish(walk, reasonOf('RUN_TOO_LARGE'), time());
        if (done.until && done.until > clock.now()) return this.delay(walk, done.until, time());
      } catch (error) {
        const failure = await this.masked(this.failureOf(error, signal, walk), walk, signal);
        const continues = walk.failed(node, startedAt, failure, failure.input);
        if (failure.isFinal || !continues) return this.finish(walk, failure, time());
      }
    }
    await this.finish(walk, null, time());
  }

  /** Runs the node, and returns its output together with the masked one. */
  private async runNode(node: FlowNode, walk: RunWalk, signal: AbortSignal): Promise<DoneStep> {
    const { projectId } = walk.run;
    const options = { projectId, budget: walk.budget, signal };
    // The call of a model is recorded whatever the outcome of the run is, so its masking has neither budget nor signal.
    const mask = (value: unknown) => this.records.masked(value, walk.mask, { projectId });
    const obtained = new Mask([], false);
    const { input, output: answer, way, until } = await this.kinds.run(node, walk.context(signal, mask, obtained));
    // A process that continues the run does not know what the node obtained, so no later node may see it.
    const output = obtained.secrets.length > 0 ? await this.records.ofOutput(answer, obtained, options) : answer;
    const shown = await this.records.ofOutput(output, walk.mask, options);
    return { input: await this.records.ofInput(input, walk.mask, options), output, shown, way, until };
  }

  private async masked({ message, input, ...failure }: Failure, walk: RunWalk, signal: AbortSignal) {
    const options = { projectId: walk.run.projectId, signal };
    return {
      ...failure,
      message: await this.records.masked(message, walk.mask, options),
      input: await this.records.ofInput(input, walk.mask, options),
    };
  }

  /** Creates the next suspension before its wait node is reached, because earlier nodes send its address and secret. */
  private async prepareWait(walk: RunWalk): Promise<void> {
    if (walk.flow.waits.size === 0) return;
    walk.expects(await this.openSuspensions.open(walk.run.id, walk.waitsDone + 1), this.origin.url());
  }

  /** Returns true if the run is suspended or has ended, and false if it continues after the wait node. */
  private async wait(walk: RunWalk, node: FlowNode, until: Date, time: RunTime): Promise<boolean> {
    const { id } = await this.openSuspensions.open(walk.run.id, walk.waitsDone + 1);
    const startedAt = clock.now();
    const isSuspended = await this.database.transaction(SYSTEM, async (tx) => {
      const [runState, state] = await tx.askAll([this.runs.lock(walk.run.id), this.suspensions.stateOf(id)]);
      if (runState === null) throw new RunLost();
      if (state === 'open') await this.suspend(tx, walk.run, id, until, time);
      return state === 'open';
    });
    if (isSuspended) {
      this.endings.notify(walk.run.id);
      return true;
    }
    const { state, payload, expiresAt } = (await this.database.ask(this.suspensions.byId(id)))!;
    if (state === 'received') {
      const output = JsonText.parsed(payload!);
      const shown = await this.records.ofPayload(output, walk.mask, { projectId: walk.run.projectId });
      walk.completed(node, startedAt, { input: null, output, shown });
    } else {
      const message = `No callback arrived until ${(expiresAt ?? until).toISOString()}.`;
      const error = { code: 'WAIT_TIMED_OUT', message };
      if (!walk.failed(node, startedAt, error, null)) {
        await this.finish(walk, error, time);
        return true;
      }
    }
    await this.prepareWait(walk);
    return false;
  }

  /** Suspends the run behind its last node. A job resumes it at that time. */
  private async delay({ run, unkept }: RunWalk, until: Date, time: RunTime): Promise<void> {
    await this.database.transaction(SYSTEM, async (tx) => {
      if (!(await tx.ask(this.runs.keep(run, unkept, time)))) throw new RunLost();
      tx.defer(this.runs.suspend(run, until));
      await this.jobs.add(tx, endDelay, { runId: run.id }, { projectId: run.projectId, runAt: until });
    });
    this.endings.notify(run.id);
  }

  private async suspend(
    tx: Transaction,
    run: ToolRunRow,
    suspensionId: Id<'suspension'>,
    until: Date,
    time: RunTime,
  ): Promise<void> {
    if (!(await tx.ask(this.runs.keep(run, [], time)))) throw new RunLost();
    tx.defer(this.runs.suspend(run, until));
    tx.defer(this.suspensions.setExpiry(suspensionId, until));
    await this.jobs.add(tx, endSuspension, { suspensionId }, { projectId: run.projectId, runAt: until });
  }

  private async keep(walk: RunWalk, time: RunTime): Promise<void> {
    if (walk.unkept.length === 0) return;
    if (!(await this.database.ask(this.runs.keep(walk.run, walk.unkept, time)))) throw new RunLost();
    walk.unkept.length = 0;
  }

  private async finish(
    walk: RunWalk,
    error: { code: string; message: string } | null,
    { activeMs, computedMs }: RunTime,
  ): Promise<void> {
    const outcome = error ? { error: { code: error.code, message: error.message } } : { output: walk.result.text };
    const last = { toolName: walk.tool.tool.name, steps: walk.unkept, time: { activeMs, computedMs } };
    const hasEnded = await this.database.transaction(SYSTEM, (tx) => this.endings.finish(tx, walk.run, outcome, last));
    if (!hasEnded) throw new RunLost();
  }

  private async orTimedOut<T>(work: () => Promise<T>, signal: AbortSignal, late: AbortSignal): Promise<T> {
    try {
      if (late.aborted) throw new RunTimedOut();
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      throw late.aborted ? new RunTimedOut() : error;
    }
  }

  private failureOf(error: unknown, signal: AbortSignal, walk: RunWalk): Failure {
    signal.throwIfAborted();
    if (error instanceof RunTimedOut) {
      const message = `The run took longer than its limit of ${walk.run.timeoutMs} ms.`;
      return { code: 'RUN_TIMED_OUT', message, input: undefined, isFinal: true };
    }
    if (error instanceof NodeFailure)
      return { code: error.code, message: error.message, input: error.input, isFinal: false };
    if (error instanceof TemplateFailure)
      return { ...reasonOf(TEMPLATE_REASONS[error.fault]), input: undefined, isFinal: false };
    if (error instanceof ComputeFailure) {
      const isFinal = error.fault === 'budget';
      return { ...reasonOf(isFinal ? 'RUN_COMPUTE_EXCEEDED' : 'OUTPUT_TOO_COSTLY'), input: undefined, isFinal };
    }
    throw error;
  }
}

interface Failure {
  code: string;
  message: string;
  input: unknown;
  isFinal: boolean;
}

function errorOf({ errorCode, errorMessage }: { errorCode: string | null; errorMessage: string | null }) {
  return { code: errorCode!, message: errorMessage! };
}

function reasonOf(code: RunReason): { code: string; message: string } {
  return { code, message: RUN_REASONS[code] };
}
