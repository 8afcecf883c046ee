import { CitusWorkers } from '../../src/platform/database/citus-workers.js';
import { Log } from '../../src/platform/telemetry/log.js';
import { Client } from '../support/client.js';
import { readSamples } from '../support/metrics.js';
import { startService } from '../support/service.js';
import { Workers } from './workers.js';

const service = await startService();
const workers = new Workers(service);
service.app.get(CitusWorkers).keepMs = 0;
afterAll(() => service.stop());

interface Ready {
  status: string;
  checks: { citus?: { status: string; message?: string } };
}

const readiness = () => new Client(service.url).get<Ready>('/health/ready');

async function areUp(): Promise<Record<string, number>> {
  const samples = (await readSamples(service)).filter(({ name }) => name === 'slipway_citus_worker_up');
  return Object.fromEntries(samples.map(({ labels, value }) => [labels.worker!, value]));
}

/** Returns the lines that are logged during the work. */
async function logged(level: 'error' | 'info', work: () => Promise<unknown>): Promise<unknown[][]> {
  const log = service.app.get(Log);
  const original = log[level];
  const lines: unknown[][] = [];
  log[level] = (...line: unknown[]) => void lines.push(line);
  await work().finally(() => (log[level] = original));
  return lines;
}

it('is ready and names the worker that is down, in the readiness, the metrics and the log', async () => {
  const [up, down] = [workers.addressOf(0), workers.addressOf(1)];
  expect((await readiness()).body.checks.citus).toEqual({ status: 'up' });
  expect(await areUp()).toEqual({ [up]: 1, [down]: 1 });
  await workers.whileDown(1, async () => {
    const lines = await logged('error', async () => {
      const { outcome, body } = await readiness();
      expect(outcome).toBe('200');
      expect(body).toMatchObject({ status: 'degraded', checks: { citus: { status: 'degraded' } } });
      expect(body.checks.citus!.message).toMatch(
        /^1 of 2 workers of the Citus cluster do not answer \(groupid 2 in pg_dist_node\)/,
      );
      expect(await areUp()).toEqual({ [up]: 1, [down]: 0 });
    });
    expect(lines).toEqual([[{ workers: down }, expect.stringContaining('is answered 503. Start them')]]);
  });
  const lines = await logged('info', async () => {
    expect((await readiness()).body).toMatchObject({ status: 'ok', checks: { citus: { status: 'up' } } });
  });
  expect(lines).toEqual([[{ workers: down }, 'All workers of the Citus cluster answer again']]);
});
