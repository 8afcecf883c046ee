import { aCall, read, written } from '../ledger/calls.js';
import { repricingsPath, type RepricingBody, setPrice, startRepricing } from '../ledger/prices.js';
import type { Tenant } from '../support/actors.js';
import { eventually } from '../support/eventually.js';
import { startProcess } from '../support/process.js';
import { startService } from '../support/service.js';
import { Workers } from './workers.js';

/** The jobs run in a process of their own, which starts while the worker is down. */
const service = await startService({ JOBS: 'held' });
const workers = new Workers(service);
afterAll(() => service.stop());

interface Sums {
  rows: number;
  appended: number;
  calls: number;
}

async function sumsOf({ projectId }: Tenant): Promise<Sums> {
  const [sums] = await service.database.rows<Sums>(
    `select count(*)::integer as rows, (count(*) filter (where is_new))::integer as appended, sum(n)::integer as calls
     from ledger_rollup where project_id = $1`,
    [projectId],
  );
  return sums!;
}

/** Waits until an attempt at each of the jobs has been forgiven, because a worker was down. */
function untilInterrupted(...names: string[]): Promise<unknown> {
  return eventually(
    () =>
      service.database.rows<{ name: string }>('select distinct name from job where name = any($1) and forgiven > 0', [
        names,
      ]),
    ({ length }) => length === names.length,
    60_000,
  );
}

it('the compaction and a repricing go on when the worker is back, and lose nothing', async () => {
  const [ofUp, ofDown] = [await workers.makeTenantOn(0), await workers.makeTenantOn(1)];
  const calls = Array.from({ length: 1_500 }, () => aCall({ model: 'm', inputTokens: 1_000_000 }));
  for (const tenant of [ofUp, ofDown])
    for (const half of [calls.slice(0, 700), calls.slice(700)]) await written(tenant, ...half);
  const before = await Promise.all([ofUp, ofDown].map(sumsOf));
  expect(before.every(({ appended, rows }) => appended === rows)).toBe(true);
  await setPrice(service, ofDown.projectId, { model: 'm', input: 2, output: 0 });
  const { repricingId } = await startRepricing(ofDown);
  await workers.whileDown(1, async () => {
    service.companions.push(await startProcess({ ...service.settings, JOBS: 'run' }));
    await untilInterrupted('ledger.tidy', 'ledger.reprice');
  });
  const state = async () =>
    (await ofDown.api.get<RepricingBody>(`${repricingsPath(ofDown.projectId)}/${repricingId}`)).body;
  expect(await eventually(state, (now) => now.state !== 'IN_PROGRESS', 120_000)).toMatchObject({
    state: 'SUCCESS',
    lookedAt: 1_500,
    changed: 1_500,
  });
  for (const tenant of [ofUp, ofDown]) {
    const { calls: summed } = await eventually(
      () => sumsOf(tenant),
      ({ appended }) => appended === 0,
      120_000,
    );
    // Each call is in four sums: of its hour and its day, with its filter values and with those of all calls.
    expect(summed).toBe(4 * calls.length);
  }
  const { generations } = (await read(ofDown, { limit: '10000' })).body;
  expect(generations.every(({ cost }) => cost === 2)).toBe(true);
  expect(generations).toHaveLength(calls.length);
});
