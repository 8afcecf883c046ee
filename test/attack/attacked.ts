import { Worker } from 'node:worker_threads';
import { type ServiceProcess, startProcess } from '../support/process.js';
import { type Service, startService } from '../support/service.js';
import type { SettingsOfTest } from '../support/settings.js';
import { slownessOfThisMachine } from './machine-speed.js';

/** Time limits are multiplied by this factor. It is measured before the attacks, unless the environment sets it. */
export const SLACK = Number(process.env.ATTACK_SLACK ?? slownessOfThisMachine());
const GAP_MS = 1_000;

/** The observed answers of `/health/live`. */
interface Seen {
  asked: number;
  failed: number;
  longestMs: number;
  lastFailure: string;
}

/** A built service in a process of its own, whose `/health/live` is watched while it is attacked. */
export interface Attacked extends Service {
  readonly process: ServiceProcess;
  /** Fails if `/health/live` had a gap or another answer than 200 since the last call. */
  expectLive(): Promise<void>;
}

/**
 * Starts a service to attack. The application in this process only provides the routes and makes samples. All requests
 * are sent to the other process.
 */
export async function startAttacked(changes: SettingsOfTest = {}): Promise<Attacked> {
  const local = await startService({ ...changes, SLIPWAY_ROLE: 'api' });
  const settings = { ...local.settings, SLIPWAY_ROLE: 'all', LOG_LEVEL: 'info', ...changes };
  const attacked = await startProcess(settings);
  const watch = watchOf(attacked.url);
  const total = { asked: 0, longestMs: 0 };
  report('Factor of this machine', SLACK.toFixed(1));
  return {
    ...local,
    settings,
    process: attacked,
    url: attacked.url,
    async expectLive() {
      const seen = await watch.ask('tell');
      total.asked += seen.asked;
      total.longestMs = Math.max(total.longestMs, seen.longestMs);
      expect(seen).toMatchObject({ failed: 0, lastFailure: '' });
      expect(seen.longestMs).toBeLessThan(GAP_MS * SLACK);
    },
    async stop() {
      report('Looks at /health/live', `${total.asked}, the longest gap ${total.longestMs} ms`);
      await watch.ask('end');
      await attacked.kill();
      await local.stop();
    },
  };
}

function watchOf(url: string) {
  const worker = new Worker(new URL('./live-watch.mjs', import.meta.url), { workerData: { url } });
  return {
    ask: (message: 'tell' | 'end') =>
      new Promise<Seen>((resolve, reject) => {
        worker.removeAllListeners().once('error', reject).once('message', resolve);
        worker.postMessage(message);
      }),
  };
}

/** Prints a figure of the run, whether or not it is within its limit. */
export function report(what: string, figure: string): void {
  process.stdout.write(`  ${what}: ${figure}\n`);
}

/** Runs the work on each item, with at most `atOnce` at the same time. */
export async function forEachOf<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const rest = items.values();
  const lane = async () => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}
