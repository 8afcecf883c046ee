import { Injectable } from '@nestjs/common';
import { clock } from '../../../kernel/clock.js';
import { ComputePool } from '../../../platform/compute/compute-pool.js';
import { type ComputeBudget, ComputeFailure, computeTask } from '../../../platform/compute/compute-task.js';
import { type Scope, textsOf } from '../../../platform/template/scope.js';
import type { ScriptAnswer, ScriptFault, ScriptRequest } from './script.thread.js';

const task = computeTask<ScriptRequest, ScriptAnswer>('script', import.meta.url);

/** Past its time a script is asked to end; past this, it is ended with its thread. */
const GRACE_MS = 250;
const CHECK_MS = 2_000;

/** A script that came to nothing, and why, for people. */
export class ScriptFailure extends Error {
  constructor(
    readonly fault: ScriptFault,
    message: string,
  ) {
    super(message);
    this.name = 'ScriptFailure';
  }
}

export interface ScriptWish {
  /** Whose it is: projects take turns. */
  projectId: string;
  code: string;
  scope: Scope;
  /** Of computing. */
  timeoutMs: number;
  budget?: ComputeBudget;
  signal?: AbortSignal;
}

/** Scripts of strangers, which run where they can be ended. */
@Injectable()
export class Scripts {
  constructor(private readonly compute: ComputePool) {}

  /** What the script returns, as JSON; nothing where it returns nothing. Throws a ScriptFailure, or a ComputeFailure of its budget. */
  run({ code, scope, timeoutMs, ...wish }: ScriptWish): Promise<string | undefined> {
    return this.ask({ code, scope: textsOf(scope), timeoutMs, isCheck: false }, wish);
  }

  /** What keeps the code from being a script, for people; nothing where it is one. */
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
    wish: { projectId: string; budget?: ComputeBudget; signal?: AbortSignal | undefined },
  ): Promise<string | undefined> {
    const limit = { ...wish, ms: request.timeoutMs + GRACE_MS };
    const asked = { ...request, now: clock.now().getTime() };
    const answer = await this.compute.run(task, asked, limit).catch((error: unknown) => {
      if (!(error instanceof ComputeFailure) || error.fault === 'budget') throw error;
      throw new ScriptFailure(error.fault === 'time' ? 'timeout' : 'memory', error.message);
    });
    if ('output' in answer) return answer.output;
    throw new ScriptFailure(answer.fault, answer.message);
  }
}
