import { administratorOf, makeProject } from '../support/actors.js';
import { eventually } from '../support/eventually.js';
import { startService } from '../support/service.js';

const service = await startService();
const admin = administratorOf(service);
afterAll(() => service.stop());

interface Setting {
  of: string;
  table: string;
  inputs: object[];
  read: (data: never) => object;
}

interface Period {
  name: string;
  days: number;
}

const SETTINGS: Setting[] = [
  {
    of: 'ledger-policy',
    table: 'ledger_policy',
    inputs: ['show', 'omit', 'drop'].map((payloads) => ({ payloads })),
    read: (data: object) => data,
  },
  {
    of: 'retention',
    table: 'project_retention',
    inputs: [20, 30, 40].map((calls) => ({ days: { calls } })),
    read: (periods: Period[]) => ({ days: { calls: periods.find(({ name }) => name === 'calls')!.days } }),
  },
];

it.each(SETTINGS)('of simultaneous first changes of $of, one wins', async (setting) => {
  const { of, table, inputs, read } = setting;
  const path = `/api/admin/v1/projects/${await makeProject(service)}/${of}`;
  const held = await service.database.openTransaction(`lock table ${table} in share mode`);
  const changes = inputs.map(async (input) => ({ input, outcome: (await admin.put(path, input)).outcome }));
  await eventually(
    () => service.database.waiting(),
    ({ length }) => length === inputs.length,
  );
  await held.commit();
  const answers = await Promise.all(changes);
  for (const { outcome } of answers) expect(['200', '503 BUSY']).toContain(outcome);
  const done = answers.filter(({ outcome }) => outcome === '200').map(({ input }) => input);
  const { body } = await admin.get<{ data: never }>(path);
  expect(done).toContainEqual(read(body.data));
});
