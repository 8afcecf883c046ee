import { newId } from '../../src/kernel/ids.js';
import { makeActiveAgent, say } from '../agents/make.js';
import { connectTo, ledgerOf } from '../gateway/calls.js';
import { administratorOf, makeTenant } from '../support/actors.js';
import { eventually } from '../support/eventually.js';
import { ModelDouble } from '../support/providers/model-double.js';
import { startService } from '../support/service.js';
import { details } from './make.js';

const service = await startService();
const double = await ModelDouble.start();
const admin = administratorOf(service);
afterAll(async () => {
  await service.stop();
  await double.stop();
});

interface ErasureBody {
  data: { userId: string; state: string; erased: Record<string, number> };
}

it('erases everything that is kept of a user, and reports how much it was', async () => {
  const tenant = await makeTenant(service);
  await makeActiveAgent(service, tenant);
  const identity = [
    { type: 'sessionReference', value: 'erase-me' },
    { type: 'userReference', value: 'Person-Zx91' },
  ];
  const { body } = await say(tenant, 'erase-me', 'My word is Quixote-Zx91', { sessionIdentity: identity });
  await say(tenant, 'other', 'I stay');
  const users = `/api/admin/v1/apps/${tenant.appId}/users`;
  const query = { reference: 'Person-Zx91' };
  const found = await admin.get<{ data: { userId: string }[] }>(users, { query });
  expect(found.body.data).toHaveLength(1);

  const path = `${users}/${found.body.data[0]!.userId}/erasure`;
  expect((await admin.post(path)).outcome).toBe('201');
  const { body: report } = await eventually(
    () => admin.get<ErasureBody>(path),
    ({ body: { data } }) => data.state === 'done',
  );
  expect(report.data.erased).toEqual({
    sessions: 1,
    traces: 1,
    observations: 2,
    payloads: 1,
    attachments: 0,
    toolRuns: 0,
    messages: 0,
  });
  expect((await admin.post<ErasureBody>(path)).body.data).toEqual(report.data);
  expect((await details(tenant, body.session.sessionId)).outcome).toBe('404 SESSION_NOT_FOUND');
  expect((await admin.get<{ data: object[] }>(users, { query })).body.data).toEqual([]);
  const dump = await service.database.dump();
  expect(dump).not.toContain('Quixote-Zx91');
  expect(dump).not.toContain('Person-Zx91');
  const calls = await ledgerOf(tenant);
  expect(calls).toHaveLength(2);
  expect(calls.filter(({ payload }) => payload)).toHaveLength(1);
});

it('keeps only the usage of a call that ends after its user has been erased', async () => {
  const tenant = await makeTenant(service);
  await makeActiveAgent(service, tenant, { connectionId: await connectTo(tenant, double, 'silent') });
  const waiting = say(tenant, 'under-way', 'My word is Dulcinea-Zx92');
  await eventually(
    () => double.calls,
    (calls) => calls.length === 1,
  );
  const users = `/api/admin/v1/apps/${tenant.appId}/users`;
  const { body } = await admin.get<{ data: { userId: string }[] }>(users);
  const path = `${users}/${body.data[0]!.userId}/erasure`;
  expect((await admin.post(path)).outcome).toBe('201');
  await eventually(
    () => admin.get<ErasureBody>(path),
    (report) => report.body.data.state === 'done',
  );
  const [call] = await eventually(
    () => ledgerOf(tenant),
    (rows) => rows.length === 1,
  );
  expect(call!.payload).toBeUndefined();
  await waiting;
  expect(await service.database.dump()).not.toContain('Dulcinea-Zx92');
});

it('answers 404 for the erasure of a user that has not been requested', async () => {
  const tenant = await makeTenant(service);
  await makeActiveAgent(service, tenant);
  const { session } = (await say(tenant, 'kept', 'Hello')).body as unknown as { session: { userId: string } };
  const path = `/api/admin/v1/apps/${tenant.appId}/users/${session.userId}/erasure`;
  expect((await admin.get(path)).outcome).toBe('404 ERASURE_NOT_FOUND');
  expect((await admin.post(path)).outcome).toBe('201');
  expect((await admin.get(path)).outcome).toBe('200');
});

it('finds no user of another app', async () => {
  const [mine, theirs] = [await makeTenant(service), await makeTenant(service)];
  await makeActiveAgent(service, theirs);
  const { session } = (await say(theirs, 'x', 'Hello')).body as unknown as { session: { userId: string } };
  const at = (userId: string) => `/api/admin/v1/apps/${mine.appId}/users/${userId}/erasure`;
  for (const userId of [session.userId, newId('user')]) {
    expect((await admin.post(at(userId))).outcome).toBe('404 USER_NOT_FOUND');
    expect((await admin.get(at(userId))).outcome).toBe('404 USER_NOT_FOUND');
  }
});
