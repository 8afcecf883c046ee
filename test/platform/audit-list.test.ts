import { newId } from '../../src/kernel/ids.js';
import { administratorOf, makeProject, makeScope, makeTenant } from '../support/actors.js';
import type { Answer } from '../support/client.js';
import { atTime, DAY } from '../support/clock.js';
import { startService } from '../support/service.js';
import { ADMIN, changesOf, entriesIn, type Entry, type Listed } from './audit-entries.js';

const service = await startService();
const admin = administratorOf(service);
afterAll(() => service.stop());

const KEYS = '/aaa/api/public/apps';

it('is sorted newest first, and its pages have every entry once', async () => {
  const { projectId } = await makeTenant(service);
  const all = await entriesIn(admin, { projectId });
  expect(all.length).toBeGreaterThan(5);
  const ids = all.map(({ auditId }) => auditId);
  expect(ids).toEqual([...ids].sort().reverse());

  const paged: string[] = [];
  let cursor: string | null = null;
  do {
    const query: Record<string, string> = { projectId, limit: '2', ...(cursor !== null && { cursor }) };
    const { body }: Answer<Listed> = await admin.get<Listed>(`${ADMIN}/audit`, { query });
    paged.push(...body.data.map(({ auditId }) => auditId));
    cursor = body.meta.nextCursor;
  } while (cursor !== null);
  expect(paged).toEqual(ids);
});

it('can be filtered by project, actor, kind, target and operation', async () => {
  const one = await makeTenant(service);
  const other = await makeTenant(service);
  const { scopeId } = await makeScope(service, one.appId);
  await one.api.put(`${KEYS}/${one.appId}/scopes/${one.scopeId}`, { permissions: { RUN_API: 'NO' } });

  const ofOne = await entriesIn(admin, { projectId: one.projectId });
  expect(new Set(ofOne.map(({ target }) => target.projectId))).toEqual(new Set([one.projectId]));
  const byKey = await entriesIn(admin, { actor: one.keyId });
  expect(changesOf(byKey)).toEqual(['changed scope']);
  const kinds = await entriesIn(admin, { projectId: one.projectId, kind: 'scope' });
  expect(changesOf(kinds)).toEqual(['changed scope', 'created scope', 'created scope']);
  expect(changesOf(await entriesIn(admin, { targetId: scopeId }))).toEqual(['created scope']);
  const operation = 'PUT /aaa/api/public/apps/{appId}/scopes/{scopeId}';
  expect(await entriesIn(admin, { operation, projectId: one.projectId })).toEqual(byKey);
  expect(await entriesIn(admin, { operation, projectId: other.projectId })).toEqual([]);
});

it('leads to each entry by its id', async () => {
  const { projectId } = await makeTenant(service);
  const [entry] = await entriesIn(admin, { projectId });
  const { body } = await admin.get<{ data: Entry }>(`${ADMIN}/audit/${entry!.auditId}`);
  expect(body.data).toEqual(entry);
  for (const id of [newId('auditEntry'), 'none', `${entry!.auditId}x`]) {
    expect((await admin.get(`${ADMIN}/audit/${id}`)).outcome).toBe('404 AUDIT_ENTRY_NOT_FOUND');
  }
});

it('can be filtered by time, from the first moment to before the last', async () => {
  const then = Date.parse('2001-02-03T04:05:06.000Z');
  const projectId = await atTime(then, () => makeProject(service));
  const at = (milliseconds: number) => new Date(milliseconds).toISOString();
  const idsOf = async (query: Record<string, string>) =>
    (await entriesIn(admin, query)).map(({ target }) => target.targetId);
  expect(await idsOf({ from: at(then), to: at(then + 1) })).toEqual([projectId]);
  expect(await idsOf({ from: '2001-02-03T06:05:06+02:00', to: at(then + 1) })).toEqual([projectId]);
  expect(await idsOf({ from: at(then - DAY), to: at(then) })).toEqual([]);
  expect(await idsOf({ from: at(then + 1), to: at(then + DAY) })).toEqual([]);
});

const TOO_LATE = '9999-12-31T23:59:59-23:59';

it.each([
  { from: 'yesterday' },
  { from: TOO_LATE },
  { to: '2001-02-03' },
  { limit: '0' },
  { cursor: 'x' },
  { who: 'ada' },
])('refuses %p', async (query) => {
  const answer = await admin.get(`${ADMIN}/audit`, { query: query as unknown as Record<string, string> });
  expect(answer).toMatchObject({ outcome: '400 VALIDATION_ERROR', faults: Object.keys(query) });
});

it('refuses a time that ends before it begins', async () => {
  const at = '2001-02-03T04:05:06Z';
  const answer = await admin.get(`${ADMIN}/audit`, { query: { from: at, to: at } });
  expect(answer).toMatchObject({ outcome: '400 VALIDATION_ERROR', faults: ['from'] });
  expect(answer.issues[0]!.message).toBe('must be before to');
});

it('cannot be changed by any route', async () => {
  const [entry] = await entriesIn(admin);
  for (const path of [`${ADMIN}/audit`, `${ADMIN}/audit/${entry!.auditId}`]) {
    for (const verb of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      expect((await admin.send(verb, path)).status).toBeGreaterThanOrEqual(404);
    }
  }
  expect(await entriesIn(admin, { targetId: entry!.target.targetId })).toContainEqual(entry);
});

it('is closed to keys of projects', async () => {
  const { api } = await makeTenant(service);
  const [entry] = await entriesIn(admin);
  for (const path of [`${ADMIN}/audit`, `${ADMIN}/audit/${entry!.auditId}`]) {
    expect((await api.get(path)).outcome).toBe('401 API_KEY_INVALID');
  }
});
