import { administratorOf, makeTenant, type Tenant } from '../support/actors.js';
import { eventually } from '../support/eventually.js';
import { startService } from '../support/service.js';

// All requests have one sender, which gets half of the connections, and each request needs one while it waits.
const service = await startService({ DATABASE_POOL: '16' });
const administrator = administratorOf(service);
afterAll(() => service.stop());

const MANY = 6;

interface Entry {
  change: string;
  before: Record<string, unknown> | null;
  after: Record<string, unknown>;
}

async function entriesOf(kind: string, targetId: string): Promise<Entry[]> {
  const query = { kind, targetId, limit: '100' };
  const { body } = await administrator.get<{ data: Entry[] }>('/api/admin/v1/audit', { query });
  return body.data;
}

/** Sends all at once, and lets them go on when each has come as far as it can. */
async function atOnce<Answer>(table: string, requests: (() => Promise<Answer>)[]): Promise<Answer[]> {
  const held = await service.database.openTransaction(`lock table ${table} in access exclusive mode`);
  const sent = requests.map((send) => send());
  await eventually(
    () => service.database.waiting(),
    ({ length }) => length >= requests.length,
  );
  await held.commit();
  return Promise.all(sent);
}

const times = <T>(make: (at: number) => T) => Array.from({ length: MANY }, (_, at) => make(at));

interface FirstSettings {
  what: string;
  table: string;
  kind: string;
  target: (tenant: Tenant) => string;
  set: (tenant: Tenant, at: number) => () => Promise<{ outcome: string }>;
  member: string;
}

const SETTINGS: FirstSettings[] = [
  {
    what: 'ledger policy',
    table: 'ledger_policy',
    kind: 'ledgerPolicy',
    target: ({ projectId }) => projectId,
    set:
      ({ projectId }, at) =>
      () =>
        administrator.put(`/api/admin/v1/projects/${projectId}/ledger-policy`, { payloads: at % 2 ? 'omit' : 'drop' }),
    member: 'payloads',
  },
  {
    what: 'session settings',
    table: 'session_settings',
    kind: 'sessionSettings',
    target: ({ appId }) => appId,
    set:
      ({ appId }, at) =>
      () =>
        administrator.patch(`/api/admin/v1/apps/${appId}/session-settings`, { maxFileCount: at + 1 }),
    member: 'maxFileCount',
  },
];

it.each(SETTINGS)('the first $what may be set by many at once', async ({ table, kind, target, set, member }) => {
  const tenant = await makeTenant(service);
  const answers = await atOnce(
    table,
    times((at) => set(tenant, at)),
  );
  expect(answers.map(({ outcome }) => outcome)).toEqual(times(() => '200'));

  // Each change found the settings of the one before it, so only the last settings are in no entry's "before".
  const entries = await entriesOf(kind, target(tenant));
  expect(entries.filter(({ change }) => change === 'created')).toHaveLength(1);
  const [found, left] = [
    entries.flatMap(({ before }) => before?.[member] ?? []),
    entries.map(({ after }) => after[member]),
  ];
  for (const value of found) left.splice(left.indexOf(value), 1);
  expect(left).toHaveLength(1);
});

it('how long things are kept may be set by many at once, in any order of their names', async () => {
  const { projectId } = await makeTenant(service);
  const path = `/api/admin/v1/projects/${projectId}/retention`;
  const set = (at: number) => () =>
    administrator.put(path, { days: at % 2 ? { calls: at + 1, traces: at + 1 } : { traces: at + 1, calls: at + 1 } });
  const answers = await atOnce('project_retention', times(set));
  expect(answers.map(({ outcome }) => outcome)).toEqual(times(() => '200'));
  const { body } = await administrator.get<{ data: { name: string; days: number }[] }>(path);
  const [calls, traces] = ['calls', 'traces'].map((wanted) => body.data.find(({ name }) => name === wanted)!.days);
  expect(calls).toBe(traces);
});
