import { EngineFault } from './engine-fault.js';

/** The number of calls that may be queued for each member of the pool. */
const QUEUED_PER_MEMBER = 32;

interface QueuedCall<T> {
  begin(member: T): void;
}

/** A pool whose members serve one call at a time. A call that finds no free member is queued. */
export class Pool<T> {
  private readonly free: T[];
  private readonly queue: QueuedCall<T>[] = [];
  private readonly count: number;
  onChange: () => void = () => undefined;

  constructor(members: T[]) {
    this.free = [...members];
    this.count = members.length;
  }

  get active(): number {
    return this.count - this.free.length;
  }

  get waiting(): number {
    return this.queue.length;
  }

  async use<R>(signal: AbortSignal, work: (member: T) => Promise<R>): Promise<R> {
    const member = this.free.pop() ?? (await this.wait(signal));
    this.onChange();
    try {
      return await work(member);
    } finally {
      this.release(member);
      this.onChange();
    }
  }

  private wait(signal: AbortSignal): Promise<T> {
    if (this.queue.length >= this.count * QUEUED_PER_MEMBER) {
      throw new EngineFault('TOO_MANY_WAIT', 'Too many calls are waiting for this model.');
    }
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.queue.splice(this.queue.indexOf(call), 1);
        reject(signal.reason as Error);
        this.onChange();
      };
      const call: QueuedCall<T> = {
        begin: (member) => {
          signal.removeEventListener('abort', leave);
          resolve(member);
        },
      };
      signal.addEventListener('abort', leave, { once: true });
      this.queue.push(call);
      this.onChange();
    });
  }

  private release(member: T): void {
    const next = this.queue.shift();
    if (next) next.begin(member);
    else this.free.push(member);
  }
}
