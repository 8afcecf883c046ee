import { makeTenant } from '../support/actors.js';
import { eventually } from '../support/eventually.js';
import { startService } from '../support/service.js';
import { Desk, end, entry, exit, newConversation, SEQUENCES, summary } from './bots.js';

const service = await startService();
const tenant = await makeTenant(service);
const desk = await Desk.open(service, tenant);
const strict = await Desk.open(service, tenant, { strict: true });
afterAll(() => service.stop());

const sequences = Object.entries(SEQUENCES);

describe.each(sequences)('a conversation with a %s', (_, events) => {
  it('reaches its documented end with one event for each call, without a violation', async () => {
    for (const each of [desk, strict]) {
      const id = newConversation();
      for (const event of events) {
        const answer = await each.tell(id, event);
        expect([answer.outcome, answer.body]).toEqual(['200', { STATUS: 'OK' }]);
      }
      const conversation = await each.read(id);
      expect(conversation).toMatchObject({
        status: 'ended',
        activeAgents: [],
        eventCount: events.length,
        repeatCount: 0,
        violationCount: 0,
        violations: [],
        nextCursor: null,
      });
      expect(conversation.endedAt).not.toBeNull();
      expect(conversation.timeline.map(({ payload }) => payload)).toEqual(events);
      const entries = conversation.timeline.filter(({ kind }) => kind === 'entry');
      expect(entries.every(({ leftAt }) => leftAt !== null)).toBe(true);
      await eventually(
        () => each.read(id),
        ({ summaries }) => summaries.length === 1 && summaries[0]!.status === 'ready',
      );
    }
  });

  it('reaches the same end if all events come in one call', async () => {
    const id = newConversation();
    expect((await strict.tell(id, ...events)).outcome).toBe('200');
    const { timeline, ...rest } = await strict.read(id);
    expect(rest).toMatchObject({ status: 'ended', activeAgents: [], eventCount: events.length, violationCount: 0 });
    expect(timeline.filter(({ kind, leftAt }) => kind === 'entry' && leftAt === null)).toEqual([]);
    expect(timeline.filter(({ call }) => call !== null)).toMatchObject([{ seq: 1, call: { conversationId: id } }]);
  });

  it('is not changed by exact repeats right after their originals', async () => {
    const [once, twice] = [newConversation(), newConversation()];
    for (const event of events) {
      await strict.tell(once, event);
      for (const _time of [1, 2, 3]) expect((await strict.tell(twice, event)).outcome).toBe('200');
    }
    const [plain, repeated] = await Promise.all([once, twice].map((id) => strict.read(id)));
    const essence = ({ status, activeAgents, violations, timeline, summaries }: typeof plain & object) => ({
      status,
      activeAgents,
      violations,
      summaries: summaries.map(({ seq, locale }) => [seq, locale]),
      timeline: timeline.map(({ seq, kind, payload, activeAgents: active }) => ({ seq, kind, payload, active })),
    });
    expect(essence(repeated!)).toEqual(essence(plain!));
    expect(repeated!.repeatCount).toBe(2 * events.length);
    expect(repeated!.timeline.map(({ repeatCount }) => repeatCount)).toEqual(events.map(() => 2));
  });

  it('is not changed by exact repeats in the same call', async () => {
    const id = newConversation();
    await strict.tell(id, ...events.flatMap((event) => [event, event]));
    const { timeline, repeatCount, violationCount } = await strict.read(id);
    expect(timeline.map(({ payload }) => payload)).toEqual(events);
    expect([repeatCount, violationCount]).toEqual([events.length, 0]);
  });
});

it('a conversation may begin with a redial, and an abrupt end is reported from its first exit on', async () => {
  const callback = newConversation();
  await strict.tell(callback, entry('redial'), exit('NA'), end());
  expect(await strict.read(callback)).toMatchObject({ status: 'ended', violationCount: 0 });
  const abrupt = newConversation();
  await strict.tell(abrupt, exit('NA'), entry('redial'), exit('NA'), summary(), end());
  expect(await strict.read(abrupt)).toMatchObject({ status: 'ended', violationCount: 0, repeatCount: 1 });
});

it('the timeline shows the active agents after each event', async () => {
  const id = newConversation();
  await desk.tell(id, ...SEQUENCES['warm transfer']);
  const { timeline } = await desk.read(id);
  expect(timeline.map(({ activeAgents }) => activeAgents)).toEqual([['A'], ['A', 'C'], ['A'], [], null, []]);
});

/** Returns a generator of pseudo-random numbers, which are the same in every run. */
function dice(seed: number): () => number {
  let state = seed;
  return () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
}

function shuffled<T>(list: readonly T[], roll: () => number): T[] {
  return list
    .map((item) => ({ item, place: roll() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}

it('a conversation ends without active agents and loses no event, in whatever order its events come', async () => {
  for (let seed = 1; seed <= 24; seed += 1) {
    const roll = dice(seed);
    const events = shuffled(sequences[seed % sequences.length]![1], roll);
    const withRepeats = events.flatMap((event) => (roll() < 0.3 ? [event, event] : [event]));
    const [id, doubled] = [newConversation(), newConversation()];
    for (const event of events) expect((await desk.tell(id, event)).outcome).toBe('200');
    await desk.tell(doubled, ...withRepeats);
    const conversation = await desk.read(id);
    expect(conversation).toMatchObject({ status: 'ended', activeAgents: [] });
    expect(conversation.timeline.filter(({ kind, leftAt }) => kind === 'entry' && leftAt === null)).toEqual([]);
    const counted = conversation.timeline.reduce((sum, { repeatCount }) => sum + repeatCount, 0);
    expect(counted).toBe(conversation.repeatCount);
    const again = await desk.read(doubled);
    const essence = ({ status, violations, timeline }: typeof conversation) => ({
      seed,
      status,
      violations: violations.map(({ code }) => code),
      timeline: timeline.map(({ kind, payload, activeAgents }) => ({ kind, payload, activeAgents })),
    });
    expect(essence(again)).toEqual(essence(conversation));
  }
});
