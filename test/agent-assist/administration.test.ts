import { generateKeyPairSync } from 'node:crypto';
import { conversationRetention, usedTokenRetention } from '../../src/modules/agent-assist/agent-assist.retention.js';
import { Statements } from '../../src/platform/database/statements.js';
import { makeConnection } from '../connections/make.js';
import { administratorOf, makeTenant } from '../support/actors.js';
import { DAY } from '../support/clock.js';
import { eventually } from '../support/eventually.js';
import { startService } from '../support/service.js';
import { ADMIN, Desk, end, entry, exit, makeBot, makeClient, newConversation, SEQUENCES, summary } from './bots.js';
import { hs256 } from './tokens.js';

const service = await startService();
const admin = administratorOf(service);
const tenant = await makeTenant(service);
afterAll(() => service.stop());

interface List<Row> {
  data: Row[];
  meta: { nextCursor: string | null };
}
type ConversationRow = { conversationId: string; status: string };

const found = async (desk: Desk, query: Record<string, string> = {}) => {
  const { body } = await admin.get<List<ConversationRow>>(`${ADMIN}/bots/${desk.botId}/conversations`, { query });
  return body.data.map(({ conversationId }) => conversationId);
};

describe('a JWT client', () => {
  it('is created, listed, read, changed and deleted', async () => {
    const own = await makeTenant(service);
    const { clientId } = await makeClient(service, own, { name: 'One' });
    const path = `${ADMIN}/jwt-clients/${clientId}`;
    expect((await admin.patch(path, { name: 'Two', requireExp: true, enforceJti: true })).outcome).toBe('200');
    const view = {
      clientId,
      projectId: own.projectId,
      name: 'Two',
      algorithm: 'HS256',
      requireExp: true,
      enforceJti: true,
    };
    expect((await admin.get(path)).body).toMatchObject({ data: view });
    const list = await admin.get<List<object>>(`${ADMIN}/projects/${own.projectId}/jwt-clients`);
    expect(list.body.data).toMatchObject([view]);
    expect((await admin.delete(path)).body).toMatchObject({ data: { clientId } });
    expect((await admin.get(path)).outcome).toBe('404 JWT_CLIENT_NOT_FOUND');
  });

  it('needs a usable RSA public key for RS256, and none for HS256', async () => {
    const path = `${ADMIN}/projects/${tenant.projectId}/jwt-clients`;
    const pem = (type: 'rsa' | 'ec', bits = 2048) => {
      const pair =
        type === 'rsa'
          ? generateKeyPairSync('rsa', { modulusLength: bits })
          : generateKeyPairSync('ec', { namedCurve: 'P-256' });
      return pair.publicKey.export({ type: 'spki', format: 'pem' }).toString();
    };
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const bad: [string, object][] = [
      ['is missing', { algorithm: 'RS256' }],
      ['has no effect with HS256', { publicKey: pem('rsa') }],
      ['is not a public key in PEM', { algorithm: 'RS256', publicKey: 'ssh-rsa AAAA' }],
      [
        'is not a public key in PEM',
        { algorithm: 'RS256', publicKey: privateKey.export({ type: 'pkcs8', format: 'pem' }) },
      ],
      ['is not an RSA key', { algorithm: 'RS256', publicKey: pem('ec') }],
      [
        'is not an RSA key',
        { algorithm: 'RS256', publicKey: '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n' },
      ],
      ['has 1024 bits', { algorithm: 'RS256', publicKey: pem('rsa', 1024) }],
    ];
    for (const [reason, input] of bad) {
      const answer = await admin.post<{ error: { message: string } }>(path, { name: 'x', ...input });
      expect(answer.outcome).toBe('400 PUBLIC_KEY_NOT_TAKEN');
      expect(answer.body.error.message).toContain(reason);
    }
    expect((await admin.post(path, { name: 'x', algorithm: 'none' })).outcome).toBe('400 VALIDATION_ERROR');
  });

  it('has its secret shown once, and null under the same Idempotency-Key', async () => {
    const path = `${ADMIN}/projects/${tenant.projectId}/jwt-clients`;
    const headers = { 'idempotency-key': 'a-client' };
    const [first, again] = [
      await admin.post<{ data: { clientSecret: string | null } }>(path, { name: 'x' }, { headers }),
      await admin.post<{ data: { clientSecret: string | null } }>(path, { name: 'x' }, { headers }),
    ];
    expect(first.body.data.clientSecret).toMatch(/^[0-9A-Za-z]{43}$/);
    expect(again.body.data).toEqual({ ...first.body.data, clientSecret: null });
  });
});

describe('a bot', () => {
  it('is created, listed, read, changed and deleted, and its conversations are deleted afterwards', async () => {
    const desk = await Desk.open(service, await makeTenant(service));
    const path = `${ADMIN}/bots/${desk.botId}`;
    for (let n = 0; n < 45; n += 1) await desk.tell(newConversation(), entry('NA'), summary(), end());
    expect((await admin.patch(path, { name: 'Another name', strict: true })).outcome).toBe('200');
    expect((await admin.get(path)).body).toMatchObject({ data: { name: 'Another name', strict: true } });
    expect((await admin.delete(path)).outcome).toBe('200');
    expect((await admin.get(path)).outcome).toBe('404 BOT_NOT_FOUND');
    expect((await desk.tell('x', end())).outcome).toBe('400 BOT_UNKNOWN');
    await eventually(async () => {
      const tables = ['assist_conversation', 'assist_event', 'assist_summary'];
      const rows = await Promise.all(
        tables.map((table) => service.database.rows(`select 1 from ${table} where bot_id = $1`, [desk.botId])),
      );
      return rows.flat().length === 0;
    });
  });

  it('accepts a connection of its project and no other', async () => {
    const { connectionId } = await makeConnection(tenant);
    const theirs = await makeConnection(await makeTenant(service));
    const botId = await makeBot(service, tenant, { connectionId });
    const path = `${ADMIN}/bots/${botId}`;
    expect((await admin.patch(path, { connectionId: theirs.connectionId })).outcome).toBe('404 CONNECTION_NOT_FOUND');
    expect((await admin.get(path)).body).toMatchObject({ data: { connectionId } });
    expect((await admin.patch(path, { connectionId: null })).body).toMatchObject({ data: { connectionId: null } });
    const input = { name: 'x', connectionId: theirs.connectionId };
    const refused = await admin.post(`${ADMIN}/projects/${tenant.projectId}/bots`, input);
    expect(refused.outcome).toBe('404 CONNECTION_NOT_FOUND');
  });
});

describe('conversations', () => {
  it('are found by status, agent, words, order and time, newest first', async () => {
    const desk = await Desk.open(service, tenant);
    const [ended, open, odd] = [newConversation(), newConversation(), newConversation()];
    await desk.say(ended, 'The blue lamp is broken');
    await desk.tell(ended, ...SEQUENCES['cold transfer']);
    const between = new Date().toISOString();
    await eventually(() => new Date().toISOString() > between);
    await desk.say(open, 'A lamp, please: a red one');
    await desk.tell(open, entry('NA', 'C'));
    await desk.tell(odd, end());
    const cases: [Record<string, string>, string[]][] = [
      [{}, [odd, open, ended]],
      [{ status: 'ended' }, [odd, ended]],
      [{ status: 'active' }, [open]],
      [{ agent: 'B' }, [ended]],
      [{ agent: 'C' }, [open]],
      [{ agent: 'nobody' }, []],
      [{ text: 'lamp' }, [open, ended]],
      [{ text: '"blue lamp"' }, [ended]],
      [{ text: 'lamp -blue' }, [open]],
      [{ outOfOrder: 'true' }, [odd]],
      [{ outOfOrder: 'false' }, [open, ended]],
      [{ to: between }, [ended]],
      [{ from: between }, [odd, open]],
      [{ from: between, text: 'lamp', status: 'active', agent: 'C' }, [open]],
    ];
    for (const [query, ids] of cases) expect({ query, ids: await found(desk, query) }).toEqual({ query, ids });
  });

  it('are paged without a gap or a repeat', async () => {
    const desk = await Desk.open(service, tenant);
    const ids = Array.from({ length: 7 }, () => newConversation());
    for (const id of ids) await desk.tell(id, entry('NA'));
    const seen: string[] = [];
    let query: Record<string, string> = { limit: '3' };
    for (;;) {
      const path = `${ADMIN}/bots/${desk.botId}/conversations`;
      const { body } = await admin.get<List<ConversationRow>>(path, { query });
      seen.push(...body.data.map(({ conversationId }) => conversationId));
      if (body.meta.nextCursor === null) break;
      query = { limit: '3', cursor: body.meta.nextCursor };
    }
    expect(seen.toSorted()).toEqual(ids.toSorted());
    const odd = await admin.get(`${ADMIN}/bots/${desk.botId}/conversations`, { query: { cursor: 'nonsense' } });
    expect([odd.outcome, odd.faults]).toEqual(['400 VALIDATION_ERROR', ['cursor']]);
  });

  it('are read page by page: timeline, transcript, segments', async () => {
    const desk = await Desk.open(service, tenant);
    const id = newConversation();
    for (const text of ['One', 'Two', 'Three']) await desk.say(id, text);
    await desk.tell(id, ...SEQUENCES['warm transfer']);
    const first = await desk.read(id, { limit: '4' });
    expect(first.timeline.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    const behindFirst = { cursor: first.nextCursor! };
    const second = await desk.read(id, { limit: '100', ...behindFirst });
    expect(second.timeline.map(({ seq }) => seq)).toEqual([5, 6, 7, 8, 9]);
    expect(second.nextCursor).toBeNull();
    const other = newConversation();
    await desk.say(other, 'One');
    for (const [of, query] of [
      [id, { cursor: '4' }],
      [other, behindFirst],
      [`${id}/transcript`, behindFirst],
    ] as const) {
      const refused = await admin.get(`${ADMIN}/bots/${desk.botId}/conversations/${of}`, { query });
      expect([refused.outcome, refused.faults]).toEqual(['400 VALIDATION_ERROR', ['cursor']]);
    }
    const path = `${ADMIN}/bots/${desk.botId}/conversations/${id}`;
    const transcript = await admin.get<List<{ text: string; author: string }>>(`${path}/transcript`, {
      query: { limit: '2' },
    });
    expect(transcript.body.data.map(({ text, author }) => [text, author])).toEqual([
      ['One', 'USER'],
      ['Two', 'USER'],
    ]);
    const rest = await admin.get<List<{ text: string }>>(`${path}/transcript`, {
      query: { cursor: transcript.body.meta.nextCursor! },
    });
    expect(rest.body.data.map(({ text }) => text)).toEqual(['Three']);
    const ofMessages = { cursor: transcript.body.meta.nextCursor! };
    expect((await admin.get(`${path}/segments`, { query: ofMessages })).faults).toEqual(['cursor']);
    const segments = await admin.get<List<{ identity: string; leftAt: string | null }>>(`${path}/segments`);
    expect(segments.body.data.map(({ identity, leftAt }) => [identity, leftAt !== null])).toEqual([
      ['A', true],
      ['C', true],
    ]);
  });

  it('are exported completely, as JSON lines', async () => {
    const desk = await Desk.open(service, tenant);
    const id = newConversation();
    const some = Array.from({ length: 100 }, (_, n) => entry(n === 0 ? 'NA' : 'WARM', `agent-${n}`));
    for (let round = 0; round < 11; round += 1) {
      await desk.tell(id, ...some);
      await desk.tell(id, ...some.map((event) => ({ ...event, transition: 'exit' })));
    }
    await desk.tell(id, summary(), end());
    const { text, headers } = await admin.get(`${ADMIN}/bots/${desk.botId}/conversations/${id}/export`);
    expect(headers.get('content-type')).toMatch(/^application\/x-ndjson/);
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, { seq: number }>);
    expect(lines[0]).toMatchObject({ conversation: { conversationId: id, status: 'ended' } });
    expect(lines[1]).toHaveProperty('summary');
    expect(lines.slice(2).map(({ event }) => event!.seq)).toEqual(Array.from({ length: 2202 }, (_, n) => n + 1));
  });

  it('are deleted with all their messages', async () => {
    const desk = await Desk.open(service, tenant);
    const [id, other] = [newConversation(), newConversation()];
    for (const each of [id, other]) await desk.tell(each, entry('NA'), summary());
    const path = `${ADMIN}/bots/${desk.botId}/conversations/${id}`;
    expect((await admin.delete(path)).outcome).toBe('200');
    for (const gone of [path, `${path}/transcript`, `${path}/segments`, `${path}/export`]) {
      expect((await admin.get(gone)).outcome).toBe('404 CONVERSATION_NOT_FOUND');
    }
    expect(await found(desk)).toEqual([other]);
    expect(await service.database.rows('select 1 from assist_event where conversation_id = $1', [id])).toEqual([]);
  });

  it('are read by any id: with slashes, in other scripts, of the maximum length', async () => {
    const desk = await Desk.open(service, tenant);
    for (const id of ['a/b?c#d', 'разговор 会話 😀', '../..', 'x'.repeat(256), ' ', 'constructor']) {
      expect((await desk.tell(id, entry('NA'))).outcome).toBe('200');
      expect(await desk.read(id)).toMatchObject({ conversationId: id, eventCount: 1 });
    }
  });

  it('with one id exist once for each bot', async () => {
    const [one, other] = [await Desk.open(service, tenant), await Desk.open(service, tenant)];
    await one.tell('same', entry('NA'));
    await other.tell('same', entry('NA', 'B'), exit('NA', 'B'));
    expect((await one.read('same')).eventCount).toBe(1);
    expect((await other.read('same')).eventCount).toBe(2);
  });
});

describe('retention', () => {
  const statements = service.app.get(Statements);
  const sweep = (general: Date, ofProjects: [string, Date][] = []) => ({
    statements,
    cutoffs: { general, ofProjects: new Map(ofProjects) },
    hasTime: () => true,
  });

  it('deletes conversations by the day of their last event, with their events, after each project’s period', async () => {
    const [mine, theirs] = [await makeTenant(service), await makeTenant(service)];
    const desks = [await Desk.open(service, mine), await Desk.open(service, theirs)];
    for (const desk of desks) {
      for (const id of ['old', 'new']) await desk.tell(id, entry('NA'), summary());
      const days = [new Date(Date.now() - 100 * DAY), desk.botId];
      await service.database.rows(
        `update assist_conversation set active_on = $1 where id = 'old' and bot_id = $2`,
        days,
      );
    }
    const ago = (days: number) => new Date(Date.now() - days * DAY);
    await conversationRetention.sweep.run(sweep(ago(90), [[theirs.projectId, ago(200)]]));
    expect(await found(desks[0]!)).toEqual(['new']);
    expect((await found(desks[1]!)).toSorted()).toEqual(['new', 'old']);
    // A new event in an old conversation keeps the conversation.
    await desks[1]!.tell('old', exit('NA'));
    await conversationRetention.sweep.run(sweep(ago(90)));
    expect((await found(desks[1]!)).toSorted()).toEqual(['new', 'old']);
  });

  it('deletes used tokens once they could not be used again', async () => {
    const client = await makeClient(service, tenant, { enforceJti: true });
    const desk = await Desk.open(service, tenant);
    const token = hs256(client.clientSecret, { clientId: client.clientId, claims: { jti: 'once' } });
    await desk.post({ conversationId: 'x', botId: desk.botId, events: [end()] }, { token });
    const kept = async () =>
      (await service.database.rows('select 1 from used_token where client_id = $1', [client.clientId])).length;
    await usedTokenRetention.sweep.run(sweep(new Date()));
    expect(await kept()).toBe(1);
    await usedTokenRetention.sweep.run(sweep(new Date(Date.now() + 2 * DAY)));
    expect(await kept()).toBe(0);
  });
});
