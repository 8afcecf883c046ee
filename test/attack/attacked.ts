import { Worker } from 'node:worker_threads';
import { type ServiceProcess, startProcess } from '../support/process.js';
import { type Service, startService } from '../support/service.js';
import type { SettingsOfTest } from '../support/settings.js';

/** How much slower than a quiet one this machine may be: limits on time are multiplied by it. */
export const SLACK = Number(process.env.ATTACK_SLACK ?? 1);
const GAP_MS = 1_000;

/** What was seen of `/health/live`. */
interface Seen {
  asked: number;
  failed: number;
  longestMs: number;
  lastFailure: string;
}

/** A built service in a process of its own, watched while it is attacked. */
export interface Attacked extends Service {
  readonly process: ServiceProcess;
  /** Fails where `/health/live` had a gap since this was asked last, or was refused. */
  expectLive(): Promise<void>;
}

/**
 * The application of this process answers nobody: it tells the routes, and samples are made with it. Whatever is sent
 * goes to the process.
 */
export async function startAttacked(changes: SettingsOfTest = {}): Promise<Attacked> {
  const local = await startService({ ...changes, SLIPWAY_ROLE: 'api' });
  const settings = { ...local.settings, SLIPWAY_ROLE: 'all', LOG_LEVEL: 'info', ...changes };
  const attacked = await startProcess(settings);
  const watch = watchOf(attacked.url);
  const whole = { asked: 0, longestMs: 0 };
  return {
    ...local,
    settings,
    process: attacked,
    url: attacked.url,
    async expectLive() {
      const seen = await watch.ask('tell');
      whole.asked += seen.asked;
      whole.longestMs = Math.max(whole.longestMs, seen.longestMs);
      expect(seen).toMatchObject({ failed: 0, lastFailure: '' });
      expect(seen.longestMs).toBeLessThan(GAP_MS * SLACK);
    },
    async stop() {
      report('Looks at /health/live', `${whole.asked}, the longest gap ${whole.longestMs} ms`);
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

/** A figure of the run, whether or not it is within its limit. */
export function report(what: string, figure: string): void {
  process.stdout.write(`  ${what}: ${figure}\n`);
}

/** Runs the work on each, so many at once. */
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
