import { eventually } from '../support/eventually.js';
import { administratorOf, makeProject, makeTenant, uniqueName } from '../support/actors.js';
import { type Answer, faultsAt } from '../support/client.js';
import { startService } from '../support/service.js';

const service = await startService();
const { database } = service;
const tenant = await makeTenant(service);
afterAll(() => service.stop());

const CREATE = `/aaa/api/public/apps/${tenant.appId}/apikeys/create`;
const input = (name: string) => ({ scope_name: tenant.scopeName, api_key_name: name });

function create(key: string, name: string, more: Record<string, string> = {}): Promise<Answer<Created>> {
  return tenant.api.post<Created>(CREATE, input(name), { headers: { 'idempotency-key': key, ...more } });
}

interface Created {
  api_key: { apikey: string | null; key_id: string };
  meta: { requestId: string };
}

const REPLAYED = 'idempotency-replayed';

async function countKeys(name: string): Promise<number> {
  return (await database.rows('select 1 from api_key where name = $1', [name])).length;
}

it('answers a repeat like the first request, without a second effect and without the secret', async () => {
  const name = uniqueName('repeated');
  const first = await create(name.replace(' ', '-'), name);
  const again = await create(name.replace(' ', '-'), name);
  expect(first.outcome).toBe('201');
  expect(first.headers.has(REPLAYED)).toBe(false);
  expect(again.outcome).toBe('201');
  expect(again.headers.get(REPLAYED)).toBe('true');
  expect(again.body).toEqual({
    ...first.body,
    api_key: { ...first.body.api_key, apikey: null },
    meta: again.body.meta,
  });
  expect(again.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
  expect(await countKeys(name)).toBe(1);
});

it('lets simultaneous repeats wait or replay', async () => {
  const name = uniqueName('at once');
  const answers = await Promise.all(Array.from({ length: 10 }, () => create('all-at-once', name)));
  for (const { outcome } of answers) expect(['201', '409 IDEMPOTENCY_IN_PROGRESS']).toContain(outcome);
  expect(answers.filter((answer) => answer.outcome === '201' && !answer.headers.has(REPLAYED))).toHaveLength(1);
  expect(await countKeys(name)).toBe(1);
});

it('refuses the key of another body, another query or another path', async () => {
  await create('one-body', uniqueName('first body'));
  expect((await create('one-body', uniqueName('second body'))).outcome).toBe('422 IDEMPOTENCY_KEY_REUSED');

  const administrator = administratorOf(service);
  const projects = [await makeProject(service), await makeProject(service)];
  const headers = { 'idempotency-key': 'one-path' };
  const [here, there] = projects.map((projectId) => `/api/admin/v1/projects/${projectId}/apps`);
  expect((await administrator.post(here!, { name: 'An app' }, { headers })).outcome).toBe('201');
  expect((await administrator.post(there!, { name: 'An app' }, { headers })).outcome).toBe(
    '422 IDEMPOTENCY_KEY_REUSED',
  );
});

it('separates the keys of different credentials', async () => {
  const other = await makeTenant(service);
  await create('shared-word', uniqueName('mine'));
  const body = { scope_name: other.scopeName, api_key_name: 'theirs' };
  const path = `/aaa/api/public/apps/${other.appId}/apikeys/create`;
  const answer = await other.api.post(path, body, { headers: { 'idempotency-key': 'shared-word' } });
  expect(answer.outcome).toBe('201');
  expect(answer.headers.has(REPLAYED)).toBe(false);
});

it('replays a refusal in the form that the repeat accepts', async () => {
  const taken = uniqueName('taken');
  await create('takes-it', taken);
  expect((await create('too-late', taken)).outcome).toBe('409 DUPLICATE_API_KEY_NAME');
  await database.rows('delete from api_key where name = $1', [taken]);
  const again = await create('too-late', taken, { accept: 'application/problem+json' });
  expect(again).toMatchObject({ status: 409, body: { title: 'DUPLICATE_API_KEY_NAME' } });
  expect(again.headers.get(REPLAYED)).toBe('true');
  expect(await countKeys(taken)).toBe(0);
});

it('does not keep an answer 5xx', async () => {
  const name = uniqueName('busy');
  const lock = await database.openTransaction('select 1 from scope where id = $1 for update', [tenant.scopeId]);
  expect((await create('failed-once', name)).outcome).toBe('503 BUSY');
  await lock.commit();
  const again = await create('failed-once', name);
  expect(again.outcome).toBe('201');
  expect(again.headers.has(REPLAYED)).toBe(false);
});

describe('while the first request runs', () => {
  it('refuses a repeat and says when to send it again', async () => {
    const name = uniqueName('running');
    const lock = await database.openTransaction('select 1 from scope where id = $1 for update', [tenant.scopeId]);
    const first = create('still-running', name);
    await untilClaimed(1);
    const early = await create('still-running', name);
    expect(early.outcome).toBe('409 IDEMPOTENCY_IN_PROGRESS');
    expect(Number(early.headers.get('retry-after'))).toBe(5);
    await lock.commit();
    expect((await first).outcome).toBe('201');
    expect((await create('still-running', name)).headers.get(REPLAYED)).toBe('true');
  });

  it('lets a repeat take over when the lease has ended, and rolls back what comes too late', async () => {
    const name = uniqueName('overtaken');
    const [first, second] = await overtaken('overtaken', name);
    expect([first.outcome, second.outcome]).toEqual(['409 IDEMPOTENCY_IN_PROGRESS', '201']);
    expect(await countKeys(name)).toBe(1);
  });

  it('does not answer with a refusal that the repeat may have caused', async () => {
    const name = uniqueName('refused');
    await create('refused-first', name);
    const [first, second] = await overtaken('refused', name);
    expect([first.outcome, second.outcome]).toEqual(['409 IDEMPOTENCY_IN_PROGRESS', '409 DUPLICATE_API_KEY_NAME']);
    expect((await create('refused', name)).headers.get(REPLAYED)).toBe('true');
  });

  /** Sends a request whose lease ends while it waits, and its repeat, which claims the key. Both then go on. */
  async function overtaken(key: string, name: string) {
    const lock = await database.openTransaction('select 1 from scope where id = $1 for update', [tenant.scopeId]);
    const first = create(key, name);
    await untilClaimed(1);
    await database.rows(`update idempotency_key set lease_until = now() where answer_sealed is null`);
    const second = create(key, name);
    await untilClaimed(2);
    await lock.commit();
    return [await first, await second] as const;
  }

  /** Waits until the newest claim without an answer is of this attempt. */
  async function untilClaimed(attempt: number): Promise<void> {
    await eventually(
      () =>
        database.rows<{ attempt: number }>(
          `select attempt from idempotency_key where answer_sealed is null and lease_until > now()`,
        ),
      (rows) => rows.length === 1 && rows[0]!.attempt === attempt,
    );
  }
});

it('begins again after 24 hours', async () => {
  await create('yesterday', uniqueName('yesterday'));
  await database.rows(`update idempotency_key set created_at = created_at - interval '25 hours'`);
  const name = uniqueName('today');
  const today = await create('yesterday', name);
  expect(today.outcome).toBe('201');
  expect(today.headers.has(REPLAYED)).toBe(false);
  expect(await countKeys(name)).toBe(1);
});

it('stores neither key nor body nor answer in readable form', async () => {
  const name = uniqueName('unreadable canary');
  const { apikey } = (await create('unreadable-key', name)).body.api_key;
  const rows = JSON.stringify(await database.rows('select * from idempotency_key'));
  for (const text of ['unreadable', 'canary', tenant.scopeName, apikey!]) expect(rows).not.toContain(text);
});

it.each([
  ['empty', ''],
  ['long', 'k'.repeat(256)],
  ['with a space', 'a key'],
])('refuses a key that is %s together with the faults of the body', async (_, key) => {
  const answer = await tenant.api.post(CREATE, { scope_name: 1 }, { headers: { 'idempotency-key': key } });
  expect(answer).toMatchObject(faultsAt('scope_name', 'api_key_name', 'idempotency-key'));
});

it('ignores the header on routes that create or start nothing', async () => {
  const answer = await tenant.api.get('/api/public/me', { headers: { 'idempotency-key': 'a key' } });
  expect(answer.outcome).toBe('200');
});
