import { Injectable } from '@nestjs/common';
import { clock } from '../../../kernel/clock.js';
import { ComputePool } from '../../../platform/compute/compute-pool.js';
import { type ComputeBudget, ComputeFailure, computeTask } from '../../../platform/compute/compute-task.js';
import { type Scope, textsOf } from '../../../platform/template/scope.js';
import type { ScriptAnswer, ScriptFault, ScriptRequest } from './script.thread.js';

const task = computeTask<ScriptRequest, ScriptAnswer>('script', import.meta.url);

/** A script is interrupted when its time is over. If it still runs after this, its thread is terminated. */
const GRACE_MS = 250;
const CHECK_MS = 2_000;

/** A script has failed. The message says why, for people. */
export class ScriptFailure extends Error {
  constructor(
    readonly fault: ScriptFault,
    message: string,
  ) {
    super(message);
    this.name = 'ScriptFailure';
  }
}

export interface ScriptOptions {
  /** The project that runs the script, in whose share of the threads it runs. */
  projectId: string;
  code: string;
  scope: Scope;
  /** The limit of computing time. */
  timeoutMs: number;
  budget?: ComputeBudget;
  signal?: AbortSignal;
}

/** Runs scripts of strangers in compute threads, which can be terminated. */
@Injectable()
export class Scripts {
  constructor(private readonly compute: ComputePool) {}

  /**
   * Returns the result of the script as JSON, or undefined if it returns nothing. Throws a ScriptFailure, or a
   * ComputeFailure if the run's budget is spent.
   */
  run({ code, scope, timeoutMs, ...options }: ScriptOptions): Promise<string | undefined> {
    return this.ask({ code, scope: textsOf(scope), timeoutMs, isCheck: false }, options);
  }

  /** Returns what keeps the code from being a script, for people, or undefined if it compiles. */
  async faultOf(projectId: string, code: string, signal?: AbortSignal): Promise<string | undefined> {
    try {
      await this.ask({ code, scope: {}, timeoutMs: CHECK_MS, isCheck: true }, { projectId, signal });
      return undefined;
    } catch (error) {
      if (error instanceof ScriptFailure) return error.message;
      throw error;
    }
  }

  private async ask(
    request: Omit<ScriptRequest, 'now'>,
    options: { projectId: string; budget?: ComputeBudget; signal?: AbortSignal | undefined },
  ): Promise<string | undefined> {
    const limit = { ...options, ms: request.timeoutMs + GRACE_MS };
    const timed = { ...request, now: clock.now().getTime() };
    const answer = await this.compute.run(task, timed, limit).catch((error: unknown) => {
      if (!(error instanceof ComputeFailure) || error.fault === 'budget') throw error;
      throw new ScriptFailure(error.fault === 'time' ? 'timeout' : 'memory', error.message);
    });
    if ('output' in answer) return answer.output;
    throw new ScriptFailure(answer.fault, answer.message);
  }
}
