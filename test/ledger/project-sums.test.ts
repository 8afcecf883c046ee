import { administratorOf, makeProject, makeTenant, type Tenant } from '../support/actors.js';
import { startService } from '../support/service.js';
import { aCall, written } from './calls.js';

const service = await startService();
const administrator = administratorOf(service);
afterAll(() => service.stop());

const DAY_MS = 86_400_000;
const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;

interface Page {
  data: { projectId: string; name: string; calls: number; failed: number; totalTokens: number; cost: number }[];
  meta: { nextCursor: string | null };
}

const asked = (query: Record<string, string> = {}) =>
  administrator.get<Page>('/api/admin/v1/ledger-summary', { query: { limit: '100', ...query } });

async function sumsOf({ projectId }: Pick<Tenant, 'projectId'>, query: Record<string, string> = {}) {
  return (await asked(query)).body.data.find((each) => each.projectId === projectId);
}

const callAt = (time: number, changes: object = {}) => aCall({ timestamp: new Date(time).toISOString(), ...changes });

it('sums the calls of each project, and zeros where there are none', async () => {
  const [mine, theirs] = [await makeTenant(service), await makeTenant(service)];
  const projectId = await makeProject(service, 'Without calls');
  const tokens = { inputTokens: 10, completionTokens: 3, reasoningTokens: 2 };
  await written(
    mine,
    callAt(today, { ...tokens, cost: 0.5 }),
    callAt(today - DAY_MS, { ...tokens, cost: 0.25, status: 'failed', model: 'a' }),
    callAt(today - DAY_MS, { cost: 0, status: 'failed', model: 'b' }),
  );
  await written(theirs, callAt(today, { cost: 7 }));
  expect(await sumsOf(mine)).toMatchObject({ calls: 3, failed: 2, totalTokens: 30, cost: 0.75 });
  expect(await sumsOf(theirs)).toMatchObject({ calls: 1, failed: 0, totalTokens: 0, cost: 7 });
  const none = { projectId, name: 'Without calls', calls: 0, failed: 0, totalTokens: 0, cost: 0 };
  expect(await sumsOf({ projectId })).toEqual(none);
});

it('sums as many days as it is asked for, with today', async () => {
  const tenant = await makeTenant(service);
  await written(tenant, ...[0, 1, 2, 30].map((days) => callAt(today - days * DAY_MS)), callAt(today - DAY_MS - 1));
  const counts = async (days: string) => (await sumsOf(tenant, { days }))?.calls;
  expect(await counts('1')).toBe(1);
  expect(await counts('2')).toBe(2);
  expect(await counts('3')).toBe(4);
  expect(await counts('31')).toBe(5);
  expect((await sumsOf(tenant))?.calls).toBe(4);
});

it('leads from page to page', async () => {
  await makeTenant(service);
  const all = (await asked()).body.data;
  const seen: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const { data, meta }: Page = (await asked({ limit: '1', ...(cursor && { cursor }) })).body;
    seen.push(...data.map(({ projectId }) => projectId));
    cursor = meta.nextCursor;
  }
  expect(seen).toEqual(all.map(({ projectId }) => projectId));
});

it.each<Record<string, string>>([{ days: '0' }, { days: '401' }, { limit: '101' }, { cursor: 'x' }, { colour: 'red' }])(
  'refuses %j',
  async (query) => {
    expect((await asked(query)).outcome).toBe('400 VALIDATION_ERROR');
  },
);

it('answers no API key of a project', async () => {
  const { api } = await makeTenant(service);
  expect((await api.get('/api/admin/v1/ledger-summary')).status).toBe(401);
});
