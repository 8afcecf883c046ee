import { newId } from '../../src/kernel/ids.js';
import { makeActiveAgent, say } from '../agents/make.js';
import { makeTenant } from '../support/actors.js';
import { faultsAt } from '../support/client.js';
import { startService } from '../support/service.js';
import { details, list, makeSession, ref, terminate, user } from './make.js';

const service = await startService();
afterAll(() => service.stop());

it('lists sessions newest first, with all their fields', async () => {
  const tenant = await makeTenant(service);
  const first = await makeSession(tenant, [ref('a'), user('u')], { source: 'MP' });
  const second = await makeSession(tenant, [user('v')], {}, 'staging');
  await terminate(tenant, [ref('a')]);
  const { outcome, body } = await list(tenant);
  expect(outcome).toBe('200');
  expect(body).toEqual({
    sessions: [
      {
        session_id: second.sessionId,
        session_reference_id: '',
        user_reference_id: 'v',
        env_name: 'staging',
        start_time: second.createdAt,
        end_time: null,
        last_activity_at: second.createdAt,
        source: 'AP',
        status: 'started',
        totals: { turns: 0, calls: 0, input_tokens: 0, output_tokens: 0, total_tokens: 0, cost: 0 },
      },
      expect.objectContaining({
        session_id: first.sessionId,
        session_reference_id: 'a',
        user_reference_id: 'u',
        env_name: 'production',
        end_time: expect.any(String) as string,
        source: 'MP',
      }),
    ],
    total_count: 2,
  });
});

it('filters exactly, by each of its filters and all of them together', async () => {
  const tenant = await makeTenant(service);
  const wanted = await makeSession(tenant, [ref('r'), user('u')], { source: 'AIP' });
  await makeSession(tenant, [ref('R'), user('U')], {}, 'staging');
  const filters = { env_name: 'Production', user_reference_id: 'u', session_reference_id: 'r', source: 'AIP' };
  for (const filter of [...Object.entries(filters).map(([name, value]) => ({ [name]: value })), filters]) {
    const { body } = await list(tenant, filter);
    expect(body).toMatchObject({ sessions: [{ session_id: wanted.sessionId }], total_count: 1 });
  }
});

it('finds nothing in the environment draft, which published clients name', async () => {
  const tenant = await makeTenant(service);
  await makeSession(tenant, [user('u')], {}, 'working-copy');
  for (const env_name of ['draft', 'Draft']) {
    const { outcome, body } = await list(tenant, { env_name });
    expect({ outcome, body }).toEqual({ outcome: '200', body: { sessions: [], total_count: 0 } });
  }
});

it('lists sessions that began at start_time or later, and before end_time', async () => {
  const tenant = await makeTenant(service);
  const { sessionId, createdAt } = await makeSession(tenant);
  const later = new Date(Date.parse(createdAt) + 1).toISOString();
  const count = async (filter: object) => (await list(tenant, filter)).body.total_count;
  expect(await count({ start_time: createdAt, end_time: later })).toBe(1);
  expect(await count({ end_time: createdAt })).toBe(0);
  expect(await count({ start_time: later })).toBe(0);
  await service.database.rows(`update session set created_at = now() - interval '25 hours' where id = $1`, [sessionId]);
  expect(await count({})).toBe(0);
  expect(await count({ start_time: '2020-01-01T00:00:00+02:00' })).toBe(1);
});

it('pages without repeating or skipping a session', async () => {
  const tenant = await makeTenant(service);
  for (let at = 0; at < 5; at += 1) await makeSession(tenant);
  const all = (await list(tenant)).body.sessions.map(({ session_id: id }) => id);
  const pages = await Promise.all(['0', '2', '4', '6'].map((offset) => list(tenant, {}, { limit: '2', offset })));
  expect(pages.flatMap(({ body }) => body.sessions.map(({ session_id: id }) => id))).toEqual(all);
  expect(pages.map(({ body }) => body.total_count)).toEqual([5, 5, 5, 5]);
});

it.each([
  [{}, { limit: '0' }, 'limit'],
  [{}, { limit: '101' }, 'limit'],
  [{}, { limit: '1.5' }, 'limit'],
  [{}, { offset: '-1' }, 'offset'],
  [{ env_name: 'elsewhere' }, {}, 'env_name'],
  [{ start_time: 'yesterday' }, {}, 'start_time'],
  [{ start_time: '2026-13-01T00:00:00Z' }, {}, 'start_time'],
  [{ start_time: '0000-01-01T00:00:00Z' }, {}, 'start_time'],
  [{ start_time: '9999-12-31T23:59:59-23:59' }, {}, 'start_time'],
  [{ end_time: 5 }, {}, 'end_time'],
  [{ start_time: '2026-01-02T00:00:00Z', end_time: '2026-01-01T00:00:00Z' }, {}, 'start_time'],
  [{ colour: 'red' }, {}, 'colour'],
])('refuses the list %j %j', async (filter, query: Record<string, string>, path) => {
  const tenant = await makeTenant(service);
  expect(await list(tenant, filter, query)).toMatchObject(faultsAt(path));
});

it('reads a session with its traces as trees, only if they are asked for', async () => {
  const tenant = await makeTenant(service);
  const agent = await makeActiveAgent(service, tenant, { name: 'Desk' });
  const { session, traceId } = (await say(tenant, 'tree', 'Hello')).body;
  const bare = (await details(tenant, session.sessionId)).body;
  expect(bare.sessions[0]!.traces).toEqual([]);
  expect(bare.pagination).toEqual({ page: 1, limit: 20, total: 1 });

  const traces = (await details(tenant, session.sessionId, { include: 'traces' })).body.sessions[0]!.traces;
  expect(traces).toMatchObject([
    { trace_id: traceId, input: 'Hello', app_version_id: agent.versionId, observations: [] },
  ]);

  const [tree] = (await details(tenant, session.sessionId, { include: ['traces', 'observations'] })).body.sessions[0]!
    .traces;
  const [top, call] = tree!.observations;
  expect(top).toMatchObject({ type: 'SPAN', name: 'Desk', parent_observation_id: null, input: 'Hello', cost: null });
  expect(top!.token_usage).toEqual({ input: 0, output: 0, total: 0 });
  expect(call).toMatchObject({
    type: 'GENERATION',
    parent_observation_id: top!.observation_id,
    status: 'success',
    cost: 0,
  });
  expect(call!.input).toEqual(expect.arrayContaining([{ role: 'user', content: 'Hello' }]));
  const { input, output, total } = call!.token_usage;
  expect({ total, isCounted: input > 0 }).toEqual({ total: input + output, isCounted: true });
});

it('reads the input of a call as a list of messages, however long they are', async () => {
  const tenant = await makeTenant(service);
  await makeActiveAgent(service, tenant);
  const asked = async (text: string) => {
    const { session } = (await say(tenant, 'long', text)).body;
    const { body } = await details(tenant, session.sessionId, { include: 'observations', page: '1', limit: '100' });
    return body.sessions[0]!.traces.at(-1)!.observations.at(-1)!.input as { role: string; content: string }[];
  };
  const [long] = (await asked('ü"'.repeat(49_000))).slice(-1);
  expect(long!.role).toBe('user');
  expect(long!.content).toMatch(/^ü"ü".*…$/);
  expect((await asked('And now?')).at(-1)).toEqual({ role: 'user', content: 'And now?' });
});

it('pages the traces of a session', async () => {
  const tenant = await makeTenant(service);
  await makeActiveAgent(service, tenant);
  const { session } = (await say(tenant, 'pages', '1')).body;
  for (const text of ['2', '3']) await say(tenant, 'pages', text);
  const query = { include: 'traces', limit: '2', page: '2' };
  const { body } = await details(tenant, session.sessionId, query);
  expect(body.sessions[0]!.traces.map(({ input }) => input)).toEqual(['3']);
  expect(body.pagination).toEqual({ page: 2, limit: 2, total: 3 });
});

it('refuses an unknown session, one of another app, and an unknown include', async () => {
  const tenant = await makeTenant(service);
  const theirs = await makeSession(await makeTenant(service));
  for (const sessionId of [newId('session'), theirs.sessionId, 'x']) {
    expect((await details(tenant, sessionId)).outcome).toBe('404 SESSION_NOT_FOUND');
  }
  const { sessionId } = await makeSession(tenant);
  expect((await details(tenant, sessionId, { include: 'everything' })).outcome).toBe('400 VALIDATION_ERROR');
  expect(await details(tenant, sessionId, { limit: '101' })).toMatchObject(faultsAt('limit'));
  expect(await details(tenant, [sessionId, sessionId] as never)).toMatchObject(faultsAt('session_id'));
});
