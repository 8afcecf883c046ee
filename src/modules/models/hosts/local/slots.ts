import { EngineFault } from './engine-fault.js';

/** For each slot so many calls may wait. */
const WAITING_PER_SLOT = 32;

interface Waiting<T> {
  take(slot: T): void;
}

/** Things of which each serves one call at a time; who finds none free waits in line. */
export class Slots<T> {
  private readonly free: T[];
  private readonly line: Waiting<T>[] = [];
  private readonly count: number;
  onChange: () => void = () => undefined;

  constructor(slots: T[]) {
    this.free = [...slots];
    this.count = slots.length;
  }

  get active(): number {
    return this.count - this.free.length;
  }

  get waiting(): number {
    return this.line.length;
  }

  async use<R>(signal: AbortSignal, work: (slot: T) => Promise<R>): Promise<R> {
    const slot = this.free.pop() ?? (await this.wait(signal));
    this.onChange();
    try {
      return await work(slot);
    } finally {
      this.release(slot);
      this.onChange();
    }
  }

  private wait(signal: AbortSignal): Promise<T> {
    if (this.line.length >= this.count * WAITING_PER_SLOT) {
      throw new EngineFault('TOO_MANY_WAIT', 'Too many calls wait for this model.');
    }
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.line.splice(this.line.indexOf(waiting), 1);
        reject(signal.reason as Error);
        this.onChange();
      };
      const waiting: Waiting<T> = {
        take: (slot) => {
          signal.removeEventListener('abort', leave);
          resolve(slot);
        },
      };
      signal.addEventListener('abort', leave, { once: true });
      this.line.push(waiting);
      this.onChange();
    });
  }

  private release(slot: T): void {
    const next = this.line.shift();
    if (next) next.take(slot);
    else this.free.push(slot);
  }
}
