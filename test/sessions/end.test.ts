import { SessionEnding } from '../../src/modules/sessions/ending.service.js';
import { Database } from '../../src/platform/database/database.js';
import { ledgerOf } from '../gateway/calls.js';
import { makeActiveAgent, say } from '../agents/make.js';
import { makeTenant } from '../support/actors.js';
import { faultsAt } from '../support/client.js';
import { startService } from '../support/service.js';
import { details, ident, list, makeSession, ref, terminate, user } from './make.js';

const service = await startService();
const tenant = await makeTenant(service);
await makeActiveAgent(service, tenant);
afterAll(() => service.stop());

/** Returns the tables that contain the text, except those of calls and traces, which stay when a session ends. */
async function elsewhere(text: string): Promise<string[]> {
  const tables = await service.database.rows<{ name: string }>(
    `select relname as name from pg_stat_user_tables where relname !~ '^(trace|observation|ledger_.*|job)$'`,
  );
  const holding = tables.map(async ({ name }) => {
    const rows = await service.database.rows(`select from ${name} t where t::text like '%' || $1 || '%'`, [text]);
    return rows.length > 0 ? name : '';
  });
  return (await Promise.all(holding)).filter(Boolean);
}

it('terminates a session, returns its summary, and deletes its memory', async () => {
  const { body: run } = await say(tenant, 'to-end', 'My secret word is Xylophone-77');
  expect(await elsewhere('Xylophone-77')).toEqual(['session_memory']);
  const { outcome, body } = await terminate(tenant, [ref('to-end')]);
  expect(outcome).toBe('200');
  expect(body).toEqual({
    status: 'terminated',
    sessionReference: 'to-end',
    userReference: 'to-end',
    userId: expect.stringMatching(/^u-/) as string,
    sessionId: run.session.sessionId,
    appId: tenant.appId,
    attachments: [],
    events: [
      {
        name: 'End_of_Conversation',
        type: 'End_of_Conversation',
        content: { messageToUser: expect.any(String) as string },
        params: { reason: 'terminated', conversationSummary: expect.stringContaining('Xylophone-77') as string },
      },
    ],
  });
  expect(await service.database.rows('select from session_memory where session_id = $1', [body.sessionId])).toEqual([]);
  const { sessions } = (await details(tenant, body.sessionId, { include: 'traces' })).body;
  expect(sessions[0]!.traces).toHaveLength(1);
});

it('answers a repeat the same, with any identifier', async () => {
  const { sessionId } = await makeSession(tenant, [ref('twice')]);
  const first = await terminate(tenant, [ref('twice')]);
  for (const identity of [
    [ref('twice')],
    [ident(sessionId)],
    [{ type: 'sessionId', value: sessionId }, ref('twice')],
  ]) {
    expect((await terminate(tenant, identity)).body).toEqual(first.body);
  }
  expect(first.body.events[0]!.params.conversationSummary).toBe('');
});

it('terminates the live session of a reference that also has ended sessions', async () => {
  const before = await makeSession(tenant, [ref('again')]);
  await terminate(tenant, [ref('again')]);
  const now = await makeSession(tenant, [ref('again')]);
  expect((await terminate(tenant, [ref('again')])).body.sessionId).toBe(now.sessionId);
  expect(now.sessionId).not.toBe(before.sessionId);
});

it('refuses the name of a user, an unknown session, and identifiers of two sessions', async () => {
  expect(await terminate(tenant, [user('x')])).toMatchObject(faultsAt('sessionIdentity.0.type'));
  expect((await terminate(tenant, [ref('never')])).outcome).toBe('404 SESSION_NOT_FOUND');
  const { sessionId } = await makeSession(tenant, [ref('one')]);
  await makeSession(tenant, [ref('two')]);
  expect((await terminate(tenant, [ident(sessionId), ref('two')])).outcome).toBe('409 SESSION_IDENTITY_CONFLICT');
  expect((await terminate(tenant, [ref('one')], 'staging')).outcome).toBe('404 SESSION_NOT_FOUND');
});

it('ends idle sessions, and no others', async () => {
  const idle = await makeSession(tenant, [ref('idle')]);
  await service.database.rows(
    `update session set last_activity_at = now() - interval '31 minutes', active_part = now() - interval '40 minutes' where id = $1`,
    [idle.sessionId],
  );
  const fresh = await makeSession(tenant, [ref('fresh')]);
  const since = new Date(Date.now() - 30 * 60_000);
  await service.app.get(Database).apart(() => service.app.get(SessionEnding).expireSome(since, 50));
  const ended = (await terminate(tenant, [ident(idle.sessionId)])).body;
  expect(ended.events[0]!.params.reason).toBe('expired');
  const rows = (await list(tenant, { session_reference_id: 'fresh' })).body.sessions;
  expect(rows).toMatchObject([{ session_id: fresh.sessionId, end_time: null }]);
});

it('adds up the usage of the turns of a session, to the token', async () => {
  const own = await makeTenant(service);
  await makeActiveAgent(service, own);
  const { session } = (await say(own, 'sums', 'One')).body;
  await say(own, 'sums', 'Two');
  const calls = await ledgerOf(own);
  const [read] = (await details(own, session.sessionId)).body.sessions;
  const sum = (name: 'inputTokens' | 'completionTokens') => calls.reduce((total, call) => total + call[name], 0);
  expect(read).toMatchObject({
    status: 'idle',
    totals: { turns: 2, calls: 2, input_tokens: sum('inputTokens'), output_tokens: sum('completionTokens') },
    traces: [],
  });
});
