import { administratorOf, makeTenant } from '../support/actors.js';
import { faultsAt } from '../support/client.js';
import { type Path, replaceAt } from '../support/leaves.js';
import { startService } from '../support/service.js';
import { Desk, end, entry, exit, makeBot, message, newConversation, summary } from './bots.js';

const service = await startService();
const tenant = await makeTenant(service);
const desk = await Desk.open(service, tenant);
afterAll(() => service.stop());

const envelope = () => ({ conversationId: newConversation(), botId: desk.botId });

const SHAPES = {
  message: () => ({ ...envelope(), ...message('Where is my order?') }),
  transfer: () => ({ ...envelope(), events: [entry('NA')] }),
  summary: () => ({ ...envelope(), events: [summary()] }),
  end: () => ({ ...envelope(), events: [end()] }),
};

const REQUIRED: [keyof typeof SHAPES, string][] = [
  ...['conversationId', 'botId', 'agentId', 'experience', 'author', 'author.type', 'source'].map(
    (path): ['message', string] => ['message', path],
  ),
  ...['sendUserMessage', 'sendAgentMessage', 'language'].map((path): ['message', string] => ['message', path]),
  ...['name', 'transfertype', 'transition', 'isExtAD', 'experience', 'participant', 'participant.identity'].map(
    (path): ['transfer', string] => ['transfer', `events.0.${path}`],
  ),
  ...['participant.name', 'participant.type'].map((path): ['transfer', string] => ['transfer', `events.0.${path}`]),
  ...['data', 'data.language', 'data.locale', 'data.type'].map((path): ['summary', string] => [
    'summary',
    `events.0.${path}`,
  ]),
  ...['reason', 'language', 'experience', 'participant', 'participant.identity', 'participant.name'].map(
    (path): ['end', string] => ['end', `events.0.${path}`],
  ),
  ['end', 'events.0.participant.type'],
];

const pathOf = (text: string): Path => text.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part));

describe.each(Object.entries(SHAPES))('a %s', (_, shape) => {
  it('is accepted, alone and with unknown members', async () => {
    expect((await desk.post(shape())).body).toEqual({ STATUS: 'OK' });
    expect((await desk.post({ ...shape(), colour: { of: ['the', 'sky'] } })).body).toEqual({ STATUS: 'OK' });
  });
});

it('a message with an empty list of events is accepted', async () => {
  expect((await desk.post({ ...SHAPES.message(), events: [] })).body).toEqual({ STATUS: 'OK' });
});

it.each(REQUIRED)('the refusal names what a %s lacks: %s', async (kind, path) => {
  const answer = await desk.post(replaceAt(SHAPES[kind](), pathOf(path), undefined));
  expect(answer).toMatchObject({ ...faultsAt(path), body: { code: 400 } });
  expect(Object.keys(answer.body as object)).toEqual(['code', 'message']);
  expect(answer.issues).toEqual([{ path, message: expect.stringMatching(/^(is required|must be )/) as string }]);
});

it('an error names only members that the call must have', async () => {
  const { body } = await desk.post({});
  expect((body as { message: string }).message.split('\n')).toEqual([
    'The request has faults. Each has a line below, with its path.',
    expect.stringMatching(/^conversationId: /),
    expect.stringMatching(/^botId: /),
    expect.stringMatching(/^query: /),
  ]);
});

it.each<[keyof typeof SHAPES, string, unknown[]]>([
  ['message', 'experience', ['email', 'CHAT', '', 1, null]],
  ['message', 'author.type', ['BOT', 'user', '']],
  ['message', 'sendUserMessage', ['true', 1, null]],
  ['message', 'query', ['', 5, 'x'.repeat(100_001)]],
  ['message', 'conversationId', ['', 7, 'x'.repeat(257), {}, '.', '..']],
  ['transfer', 'events', [[], {}, 'entry', Array.from({ length: 101 }, () => entry('NA'))]],
  ['transfer', 'events.0.name', ['TRANSFER', '', 7]],
  ['transfer', 'events.0.transfertype', ['HOT', '', 'N/A', 3]],
  ['transfer', 'events.0.transition', ['enter', 'Entry', '']],
  ['transfer', 'events.0.isExtAD', [7, {}, null]],
  ['transfer', 'events.0.experience', ['mail']],
  ['transfer', 'events.0.participant.type', ['user', 'Agent']],
  ['transfer', 'events.0.participant.identity', ['', 7, 'x'.repeat(257)]],
  ['transfer', 'events.0.participant.customFields', ['queue', []]],
  ['summary', 'events.0.data.locale', ['', 7]],
  ['end', 'events.0.reason', ['', 7]],
])('refuses in a %s at %s what does not belong there', async (kind, path, values) => {
  for (const value of values) {
    const answer = await desk.post(replaceAt(SHAPES[kind](), pathOf(path), value));
    expect({ value, ...answer }).toMatchObject({ value, ...faultsAt(path), body: { code: 400 } });
  }
});

it('the refusal names all faults of a call at once', async () => {
  const answer = await desk.post({
    botId: desk.botId,
    query: 'Hello',
    events: [{}, { ...end(), reason: 1 }, entry('X')],
  });
  const ofMessage = ['agentId', 'experience', 'author', 'source', 'sendUserMessage', 'sendAgentMessage', 'language'];
  const ofEvents = ['events.0.name', 'events.1.reason', 'events.2.transfertype'];
  const { faults } = answer;
  expect([...faults].sort()).toEqual(['conversationId', ...ofEvents, ...ofMessage].sort());
  const wrong = await desk.post({ ...envelope(), botId: 7, query: 'Hello', author: {}, source: 5 });
  const others = ofMessage.filter((path) => !['author', 'source'].includes(path));
  expect([...wrong.faults].sort()).toEqual(['botId', 'author.type', 'source', ...others].sort());
  expect(wrong.issues).toHaveLength(wrong.faults.length);
  const inMessage = await desk.post({ ...envelope(), query: 'Hello' });
  expect(inMessage.faults).toEqual(ofMessage);
});

it('a call with neither a message nor events is refused', async () => {
  expect(await desk.post(envelope())).toMatchObject(faultsAt('query'));
  expect(await desk.post({ ...envelope(), agentId: 'agent-17' })).toMatchObject(faultsAt('query'));
});

it('every transfer type is accepted in any case, and isExtAD as a text or a boolean', async () => {
  for (const type of ['NA', 'na', 'Na', 'cold', 'COLD', 'Warm', 'REDIAL', 'redial']) {
    for (const isExtAD of [true, false, 'true', 'False']) {
      const answer = await desk.tell(newConversation(), { ...entry(type), isExtAD });
      expect(answer.outcome).toBe('200');
    }
  }
});

describe('a botId', () => {
  const bodyOf = (botId: string) => ({ conversationId: 'x', botId, events: [end()] });
  const post = (path: string, botId: string) =>
    new OtherPath(desk).post(`/agentassist/api/v1/hooks/${encodeURIComponent(path)}`, bodyOf(botId));

  it('that does not exist is refused as documented, in path and body', async () => {
    for (const odd of ['st-0VJ8kQ2xT4bN7mRw1ZcYp3', 'nonsense', '__proto__', 'st-', "' or 1=1"]) {
      const answer = await post(odd, odd);
      expect(answer.outcome).toBe('400 BOT_UNKNOWN');
      expect(answer.body).toEqual({
        code: 400,
        message: expect.stringMatching(/^The linked agent details could not be found\. Verify the botId/) as string,
      });
    }
  });

  it('of another project is refused as one that does not exist', async () => {
    const theirs = await makeBot(service, await makeTenant(service));
    const [unknown, foreign] = [
      await post('st-0VJ8kQ2xT4bN7mRw1ZcYp3', 'st-0VJ8kQ2xT4bN7mRw1ZcYp3'),
      await post(theirs, theirs),
    ];
    expect([foreign.status, foreign.body]).toEqual([unknown.status, unknown.body]);
  });

  it('of the body must be the one of the path', async () => {
    const other = await makeBot(service, tenant);
    expect((await post(desk.botId, other)).outcome).toBe('400 BOT_MISMATCH');
    expect((await post(other, desk.botId)).outcome).toBe('400 BOT_MISMATCH');
    expect((await post(other, other)).outcome).toBe('200');
  });
});

/** Posts to any path with the desk’s token. */
class OtherPath {
  constructor(private readonly of: Desk) {}

  post(path: string, body: unknown) {
    return administratorOf(service).post(path, body, { headers: { token: this.of.token } });
  }
}

describe('every refusal', () => {
  const elsewhere = (verb: string, path: string) => administratorOf(service).send(verb, path);

  it('is a number and a message: a wrong verb, an unknown path below, a large body, one of another kind', async () => {
    expect((await elsewhere('GET', desk.path)).outcome).toBe('405 METHOD_NOT_ALLOWED');
    expect((await elsewhere('GET', desk.path)).body).toMatchObject({ code: 405 });
    expect((await elsewhere('POST', `${desk.path}/`)).body).toMatchObject({ code: 404 });
    const large = await desk.post({ ...SHAPES.message(), fill: 'x'.repeat(2_000_000) });
    expect([large.outcome, large.body]).toMatchObject(['413 PAYLOAD_TOO_LARGE', { code: 413 }]);
    const headers = { token: desk.token, 'content-type': 'text/plain' };
    expect((await desk.post({}, headers)).body).toMatchObject({ code: 415 });
    expect((await desk.post({}, {})).body).toMatchObject({ code: 401 });
  });

  it('is a number and a message after a fault of the service', async () => {
    const id = newConversation();
    await desk.tell(id, entry('NA'));
    await service.database.rows(`update assist_conversation set state = '{' where id = $1`, [id]);
    const answer = await desk.tell(id, end());
    expect([answer.outcome, answer.body]).toMatchObject(['500 INTERNAL_ERROR', { code: 500 }]);
  });

  it('is in the form of RFC 9457 for clients that accept it', async () => {
    const answer = await desk.post({}, { token: desk.token, accept: 'application/problem+json' });
    expect(answer.body).toMatchObject({ title: 'VALIDATION_ERROR', status: 400 });
  });
});

describe('messages', () => {
  it('are stored in order, even if they are equal', async () => {
    const id = newConversation();
    for (const text of ['Hello', 'Hello', 'Bye']) await desk.say(id, text);
    const { timeline, messageCount, repeatCount } = await desk.read(id);
    expect(timeline.map(({ kind, text }) => [kind, text])).toEqual([
      ['message', 'Hello'],
      ['message', 'Hello'],
      ['message', 'Bye'],
    ]);
    expect([messageCount, repeatCount]).toEqual([3, 0]);
  });

  it('are stored once under one Idempotency-Key', async () => {
    const id = newConversation();
    const headers = { token: desk.token, 'idempotency-key': 'message-1' };
    const body = { conversationId: id, botId: desk.botId, ...message('Hello') };
    const answers = [await desk.post(body, headers), await desk.post(body, { ...headers, token: desk.token })];
    expect(answers.map(({ outcome, headers: got }) => [outcome, got.get('idempotency-replayed')])).toEqual([
      ['200', null],
      ['200', 'true'],
    ]);
    expect((await desk.read(id)).messageCount).toBe(1);
    expect((await desk.post({ ...body, query: 'Other' }, headers)).body).toMatchObject({ code: 422 });
  });

  it('may stand in one call with events, before them', async () => {
    const id = newConversation();
    await desk.say(id, 'Hello', { events: [entry('NA'), exit('NA')] });
    const { timeline } = await desk.read(id);
    expect(timeline.map(({ kind }) => kind)).toEqual(['message', 'entry', 'exit']);
  });

  it('that come at the same moment are all stored, each with its own number', async () => {
    const id = newConversation();
    const outcomes = await Promise.all(Array.from({ length: 12 }, (_, n) => desk.say(id, `Message ${n}`)));
    expect(new Set(outcomes.map(({ outcome }) => outcome))).toEqual(new Set(['200']));
    const { timeline } = await desk.read(id);
    expect(timeline.map(({ seq }) => seq)).toEqual(Array.from({ length: 12 }, (_, n) => n + 1));
  });

  it('keep the unknown members of their senders', async () => {
    const id = newConversation();
    await desk.say(id, 'Hello', { metadata: { order: 4711 }, author: { type: 'USER', id: 'u7' } });
    const [row] = (await desk.read(id)).timeline;
    expect(row!.call).toMatchObject({ metadata: { order: 4711 }, author: { type: 'USER', id: 'u7' } });
  });
});
