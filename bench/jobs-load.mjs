import { randomBytes } from 'node:crypto';
import { quantile } from './measure.mjs';

/**
 * @typedef {object} Order
 * @property {number} jobs
 * @property {number} clients those that accept at the same time; each accepts its next job when the last one is
 *   committed
 * @property {boolean} [isByHand] whether it writes the rows of a job of the dock
 *
 * @typedef {object} Result
 * @property {number} perSecond
 * @property {number} p50 from commit to start, in milliseconds
 * @property {number} p99
 */

/** Accepts as many jobs as a message of the benchmark orders, and answers how fast they were done. */
export class JobsLoad {
  /** @type {Map<string, number>} */
  #committedAt = new Map();
  /** @type {number[]} */
  #pickUps = [];
  #left = 0;
  #allDone = () => {};

  /** @param {(id: string, order: Order) => Promise<unknown>} accept resolves when the job is accepted */
  constructor(accept) {
    this.accept = accept;
    process.on(
      'message',
      (/** @type {Order} */ order) => void this.#run(order).then((result) => process.send?.(result)),
    );
  }

  /**
   * Notes when a job was committed. Without it, that is when it was accepted.
   * @param {string} id
   */
  committed(id) {
    this.#committedAt.set(id, performance.now());
  }

  /** @param {string} id */
  began(id) {
    const committed = this.#committedAt.get(id);
    this.#pickUps.push(committed === undefined ? 0 : performance.now() - committed);
  }

  ended() {
    this.#left -= 1;
    if (this.#left === 0) this.#allDone();
  }

  /**
   * @param {Order} order
   * @returns {Promise<Result>}
   */
  async #run(order) {
    this.#committedAt.clear();
    this.#pickUps = [];
    this.#left = order.jobs;
    const done = new Promise((resolve) => (this.#allDone = () => resolve(undefined)));
    const begun = performance.now();
    let accepted = 0;
    const client = async () => {
      while (accepted < order.jobs) {
        accepted += 1;
        const id = `j-${randomBytes(16).toString('hex')}`;
        await this.accept(id, order);
        if (!this.#committedAt.has(id)) this.committed(id);
      }
    };
    await Promise.all(Array.from({ length: order.clients }, client));
    await done;
    const seconds = (performance.now() - begun) / 1000;
    return { perSecond: order.jobs / seconds, p50: quantile(this.#pickUps, 0.5), p99: quantile(this.#pickUps, 0.99) };
  }
}
