import { packageVersion } from '../../src/platform/config/project-file.js';
import { administratorOf } from '../support/actors.js';
import { eventually } from '../support/eventually.js';
import { startProcess } from '../support/process.js';
import { startService } from '../support/service.js';

interface Listed {
  name: string;
  role: string;
  queues: { queue: string; limit: number | null }[];
  version: string;
  startedAt: string;
  lastHeartbeatAt: string;
  alive: boolean;
}

const service = await startService();
afterAll(() => service.stop());

const list = async () => (await administratorOf(service).get<{ data: Listed[] }>('/api/admin/v1/processes')).body.data;
const untilListed = (count: number) => eventually(list, ({ length }) => length === count);

it('lists a process with its role and version from its start to its stop', async () => {
  const [first] = await untilListed(1);
  expect(first).toMatchObject({ role: 'all', version: packageVersion(), alive: true });
  expect(first!.name).toMatch(new RegExp(`.:${process.pid}$`));
  const worker = await startProcess({ ...service.settings, SLIPWAY_ROLE: 'worker' });
  const [, second] = await untilListed(2);
  expect(second).toMatchObject({ role: 'worker', alive: true });
  expect(second!.name).toMatch(new RegExp(`.:${worker.pid}$`));
  expect(second!.lastHeartbeatAt).toBe(second!.startedAt);
  await worker.stop();
  await untilListed(1);
});

it.each([
  [
    { SLIPWAY_ROLE: 'worker', SLIPWAY_QUEUES: 'dock:2,turns' },
    [
      { queue: 'dock', limit: 2 },
      { queue: 'turns', limit: null },
    ],
  ],
  [{ SLIPWAY_ROLE: 'api' }, []],
])('lists the queues that a process with %j serves', async (settings, queues) => {
  const other = await startProcess({ ...service.settings, ...settings });
  const [, listed] = await untilListed(2);
  expect(listed).toMatchObject({ role: settings.SLIPWAY_ROLE, queues });
  await other.stop();
  await untilListed(1);
});

it('lists a process that was killed as dead once its heartbeats have stopped', async () => {
  const worker = await startProcess({ ...service.settings, SLIPWAY_ROLE: 'worker' });
  await untilListed(2);
  await worker.kill();
  expect((await list()).map(({ alive }) => alive)).toEqual([true, true]);
  await service.database.rows(
    `update service_process set seen_at = now() - interval '80 seconds' where role = 'worker'`,
  );
  expect((await list()).map(({ role, alive }) => [role, alive])).toEqual([
    ['all', true],
    ['worker', false],
  ]);
});
