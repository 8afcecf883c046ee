import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type Answer, Client } from '../support/client.js';
import { report, SLACK } from './attacked.js';

const PAUSE_MS = 50;
const FEWEST = 3;

interface Latency {
  asked: number;
  medianMs: number;
  worstMs: number;
}

/** A user of another project, who sends one request after the other during an attack. */
export class Neighbour {
  constructor(private readonly ask: () => Promise<Answer>) {}

  /** Makes a neighbour whose requests read its own key, which needs authentication and the database. */
  static withKey(target: { url: string }, key: string): Neighbour {
    const api = Client.withKey(target, key);
    return new Neighbour(() => api.get('/api/public/me'));
  }

  /** Fails if an answer is an error or takes longer than the limit, until the attack is over. */
  async waitsLessThan(limitMs: number, what: string, attack: () => Promise<unknown>): Promise<void> {
    const took: number[] = [];
    const ownDelay = monitorEventLoopDelay();
    ownDelay.enable();
    let isOver = false;
    const asking = async () => {
      while (!isOver || took.length < FEWEST) {
        const begun = performance.now();
        const { status, text } = await this.ask();
        took.push(performance.now() - begun);
        if (status >= 400) throw new Error(`The neighbour was answered ${status}: ${text}`);
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    };
    const attacking = attack().finally(() => (isOver = true));
    await Promise.all([asking(), attacking]);
    const { asked, medianMs, worstMs } = latencyOf(took);
    report(what, `a neighbour asked ${asked} times and waited ${medianMs} ms in the middle, ${worstMs} ms at worst`);
    // A delay of the test's own thread is part of what the neighbour waited.
    report(`${what}, the thread of the test`, `it stood still for ${Math.round(ownDelay.max / 1e6)} ms at most`);
    expect(worstMs).toBeLessThan(limitMs * SLACK);
  }
}

function latencyOf(took: number[]): Latency {
  const sorted = took.toSorted((a, b) => a - b).map(Math.round);
  return { asked: sorted.length, medianMs: sorted[sorted.length >> 1]!, worstMs: sorted.at(-1)! };
}
