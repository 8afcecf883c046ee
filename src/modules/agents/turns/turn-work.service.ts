import { Injectable } from '@nestjs/common';
import { SYSTEM } from '../../../kernel/actor.js';
import { SlipwayError } from '../../../kernel/errors.js';
import { Database } from '../../../platform/database/database.js';
import { isOutage } from '../../../platform/database/database.errors.js';
import type { JobRun } from '../../../platform/queue/job-run.js';
import { type Memory, SessionMemory } from '../../sessions/memory/session-memory.service.js';
import { SessionsService } from '../../sessions/sessions.service.js';
import type { TurnData } from '../agents.jobs.js';
import { ModelSteps } from './model-steps.js';
import type { AgentRunRow } from '../runs/agent-run.entity.js';
import { AgentRunRepository, type BegunRun } from '../runs/agent-run.repository.js';
import type { AnsweringVersion } from '../definitions/agent.entity.js';
import { nextIn } from './steps.js';
import { ToolSteps } from './tool-steps.js';
import { type Failure, type Outcome, SESSION_ENDED, type TurnAtWork, TurnFailed, turnOf, TurnSinks } from './turn.js';
import { TurnEndings } from './turn-endings.service.js';

type Progress = Outcome | { suspendedUntil: Date };

/** The tool run for which a turn was about to be suspended has already ended. */
class AlreadyResumed extends Error {}

/**
 * Takes a turn from its current state to its end. Each answer of the model and of a tool is a row that is committed before
 * the next step begins, so that another process can continue the turn after a crash.
 */
@Injectable()
export class TurnWork {
  constructor(
    private readonly database: Database,
    private readonly sessions: SessionsService,
    private readonly memory: SessionMemory,
    private readonly runs: AgentRunRepository,
    private readonly models: ModelSteps,
    private readonly tools: ToolSteps,
    private readonly endings: TurnEndings,
    private readonly sinks: TurnSinks,
  ) {}

  async take(job: JobRun<TurnData>): Promise<void> {
    const run = await this.begin(job);
    if (!run) return;
    const startedAt = performance.now();
    const activeMs = () => performance.now() - startedAt;
    const { version } = run;
    for (;;) {
      const progress = version ? await this.advance(run, version, job.signal) : { failure: AGENT_GONE };
      if (!('suspendedUntil' in progress)) {
        return job.finishWith((tx) => this.endings.finish(tx, run, version, progress, activeMs()));
      }
      if (await this.suspend(job, run, progress.suspendedUntil, activeMs())) return;
    }
  }

  /**
   * Marks the run as running and notifies its sink. A sink without notifications of the beginning needs no transaction at
   * the first attempt. A later attempt may follow a suspension, and every sink is notified of the end of one.
   */
  private async begin({ data: { runId, notifiesOfStart }, attempt }: JobRun<TurnData>): Promise<BegunRun | null> {
    if (!notifiesOfStart && attempt === 1) return this.database.ask(this.runs.begin(runId));
    return this.database.transaction(SYSTEM, async (tx) => {
      const run = await tx.ask(this.runs.begin(runId));
      if (notifiesOfStart && run?.state === 'queued') await this.sinks.notifyStatus(tx, turnOf(run), 'processing');
      if (run?.state === 'suspended') await this.sinks.notifyStatus(tx, turnOf(run), 'resumed');
      return run;
    });
  }

  private async advance(run: AgentRunRow, version: AnsweringVersion, jobSignal: AbortSignal): Promise<Progress> {
    const timeout = AbortSignal.timeout(Math.max(1, version.timeoutSeconds * 1000 - run.activeMs));
    const signal = AbortSignal.any([jobSignal, timeout]);
    try {
      return await this.steps({ run, version, signal });
    } catch (error) {
      jobSignal.throwIfAborted();
      if (isOutage(error)) throw error;
      if (error instanceof TurnFailed) return { failure: error.failure };
      if (timeout.aborted) return { failure: tookTooLong(version) };
      if (error instanceof SlipwayError) return { failure: { code: error.spec.code, message: error.message } };
      throw error;
    }
  }

  private async steps(turn: TurnAtWork): Promise<Progress> {
    const { run, version, signal } = turn;
    let modelAnswer: Memory | null = null;
    let memory: readonly Memory[] = [];
    for (;;) {
      signal.throwIfAborted();
      // Only this process adds to the turn, so the memory need not be read again after an answer of the model.
      memory = modelAnswer ? [...memory, modelAnswer] : await this.memory.upTo(run.sessionId, run.number);
      const own = memory.filter(({ turn: number }) => number === run.number);
      const next = nextIn(own);
      if (next.what === 'answer') return { text: next.text, memory: own };
      if (next.what === 'nothing') throw new TurnFailed(SESSION_ENDED);
      if (next.what === 'call-model') {
        if (next.modelCalls >= version.maxSteps) throw new TurnFailed(tooManySteps(version));
        modelAnswer = await this.models.call(turn, memory, next.step);
        continue;
      }
      modelAnswer = null;
      const until = await this.tools.call(turn, next.call, next.step);
      if (until) return { suspendedUntil: until };
    }
  }

  /** Returns false if the turn has to continue at once, because the tool run has ended meanwhile. */
  private async suspend(
    job: JobRun<unknown>,
    { id: runId, sessionId }: AgentRunRow,
    until: Date,
    activeMs: number,
  ): Promise<boolean> {
    try {
      await job.suspend(until, async (tx) => {
        const [, run] = await tx.askAll([this.sessions.lock(sessionId), this.runs.lock(runId)]);
        if (run?.isResumed) throw new AlreadyResumed();
        tx.defer(this.runs.suspend(runId, activeMs));
        if (run) await this.sinks.notifyStatus(tx, turnOf(run), 'suspended');
      });
      return true;
    } catch (error) {
      if (!(error instanceof AlreadyResumed)) throw error;
      await this.database.transaction(SYSTEM, (tx) => tx.ask(this.runs.begin(runId)));
      return false;
    }
  }
}

const AGENT_GONE: Failure = {
  code: 'AGENT_GONE',
  message: 'The agent was deleted. Activate another one, then send the message again.',
};

function tooManySteps({ maxSteps }: AnsweringVersion): Failure {
  return {
    code: 'STEP_LIMIT_REACHED',
    message: `The agent called its model ${maxSteps} times without an answer; its maxSteps allows no more.`,
  };
}

function tookTooLong({ timeoutSeconds }: AnsweringVersion): Failure {
  return {
    code: 'TURN_TIMED_OUT',
    message: `The agent had no answer after the ${timeoutSeconds} seconds that its timeoutSeconds allows.`,
  };
}
