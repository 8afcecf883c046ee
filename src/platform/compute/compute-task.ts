import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What a program has to know of the thread it runs in. */
export interface ComputeThreadHandle {
  /** The thread is not used again: what the program left in it cannot be believed. */
  spoil(): void;
}

/** The default export of a `*.thread.ts`: computes an answer from what it is asked, in a thread that can be ended. */
export type Program<Ask, Answer> = (ask: Ask, thread: ComputeThreadHandle) => Answer | Promise<Answer>;

/** Where a program is, and what it takes and gives. */
export interface ComputeTask<Ask, Answer> {
  readonly url: string;
  /** Never there: it carries the types. */
  readonly types?: (ask: Ask) => Answer;
}

/** The program in the file `name`.thread, which stands beside the one that says so and is in the same language. */
export function computeTask<Ask, Answer>(name: string, beside: string): ComputeTask<Ask, Answer> {
  const extension = extname(fileURLToPath(beside));
  return { url: new URL(`./${name}.thread${extension}`, beside).href };
}

/** Why nothing was computed: it took its time, the time of all that belongs together, or too much memory. */
export type ComputeFault = 'time' | 'budget' | 'memory';

const MESSAGES: Record<ComputeFault, string> = {
  time: 'It took longer than it may',
  budget: 'All that belongs together took longer than it may',
  memory: 'It took more memory than it may',
};

export class ComputeFailure extends Error {
  constructor(readonly fault: ComputeFault) {
    super(MESSAGES[fault]);
    this.name = 'ComputeFailure';
  }
}

/** The time that several evaluations have together. */
export class ComputeBudget {
  constructor(
    readonly ms: number,
    private spent = 0,
  ) {}

  get spentMs(): number {
    return Math.ceil(this.spent);
  }

  get leftMs(): number {
    return this.ms - this.spent;
  }

  take(ms: number): void {
    this.spent += ms;
  }
}

/** For whom something is computed, and how much of it. */
export interface ComputeWish {
  /** Projects take turns, and none has all threads. */
  readonly projectId: string;
  /** The time of computing after which it is ended: neither waiting for a thread nor a busy machine count. */
  readonly ms: number;
  readonly budget?: ComputeBudget | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Refused with COMPUTE_BUSY where as many of the project wait already: for those who hold what others need. */
  readonly mostWaiting?: number | undefined;
}
