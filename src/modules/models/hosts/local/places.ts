import { EngineFault } from './engine-fault.js';

/** For each place so many calls may wait. */
const WAITING_PER_PLACE = 32;

interface Waiting<T> {
  take(place: T): void;
}

/** Things of which each serves one call at a time; who finds none free waits in line. */
export class Places<T> {
  private readonly free: T[];
  private readonly line: Waiting<T>[] = [];
  private readonly count: number;
  onChange: () => void = () => undefined;

  constructor(places: T[]) {
    this.free = [...places];
    this.count = places.length;
  }

  get active(): number {
    return this.count - this.free.length;
  }

  get waiting(): number {
    return this.line.length;
  }

  async use<R>(signal: AbortSignal, work: (place: T) => Promise<R>): Promise<R> {
    const place = this.free.pop() ?? (await this.wait(signal));
    this.onChange();
    try {
      return await work(place);
    } finally {
      this.giveBack(place);
      this.onChange();
    }
  }

  private wait(signal: AbortSignal): Promise<T> {
    if (this.line.length >= this.count * WAITING_PER_PLACE) {
      throw new EngineFault('TOO_MANY_WAIT', 'Too many calls wait for this model.');
    }
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.line.splice(this.line.indexOf(waiting), 1);
        reject(signal.reason as Error);
        this.onChange();
      };
      const waiting: Waiting<T> = {
        take: (place) => {
          signal.removeEventListener('abort', leave);
          resolve(place);
        },
      };
      signal.addEventListener('abort', leave, { once: true });
      this.line.push(waiting);
      this.onChange();
    });
  }

  private giveBack(place: T): void {
    const next = this.line.shift();
    if (next) next.take(place);
    else this.free.push(place);
  }
}
