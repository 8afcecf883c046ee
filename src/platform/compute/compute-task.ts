import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The thread as its program sees it. */
export interface ComputeThreadHandle {
  /** Ends the use of this thread, because the program may have left a state in it that cannot be trusted. */
  spoil(): void;
}

/** The default export of a `*.thread.ts` file. It computes an answer in a thread that can be terminated. */
export type Program<Ask, Answer> = (ask: Ask, thread: ComputeThreadHandle) => Answer | Promise<Answer>;

/** The address of a program, with the types of its request and its answer. */
export interface ComputeTask<Ask, Answer> {
  readonly url: string;
  /** Never set; it only carries the types. */
  readonly types?: (ask: Ask) => Answer;
}

/** Refers to the program in the file `name`.thread, which is next to the calling file and in the same language. */
export function computeTask<Ask, Answer>(name: string, beside: string): ComputeTask<Ask, Answer> {
  const extension = extname(fileURLToPath(beside));
  return { url: new URL(`./${name}.thread${extension}`, beside).href };
}

/**
 * The reason why there is no answer: the work exceeded its own time, the time of all the work that belongs together, or
 * the memory.
 */
export type ComputeFault = 'time' | 'budget' | 'memory';

const MESSAGES: Record<ComputeFault, string> = {
  time: 'The computation exceeded its time limit',
  budget: 'The computation exceeded the time limit of the work that it belongs to',
  memory: 'The computation exceeded its memory limit',
};

export class ComputeFailure extends Error {
  constructor(readonly fault: ComputeFault) {
    super(MESSAGES[fault]);
    this.name = 'ComputeFailure';
  }
}

/** The time that several evaluations share. */
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

/** The project that a computation belongs to, and how much the computation may cost. */
export interface ComputeOptions {
  /** Projects take turns, and no project has all threads. */
  readonly projectId: string;
  /**
   * The processor time after which the work is terminated. Waiting for a thread does not count, and neither does the
   * time that a busy machine takes from it.
   */
  readonly ms: number;
  readonly budget?: ComputeBudget | undefined;
  readonly signal?: AbortSignal | undefined;
  /**
   * The work is refused with COMPUTE_BUSY if this many items of the project are waiting already. Callers that occupy
   * what others need set it.
   */
  readonly mostWaiting?: number | undefined;
}
