import { VIOLATIONS } from '../../src/modules/agent-assist/violations.js';
import { makeTenant } from '../support/actors.js';
import { startService } from '../support/service.js';
import { Desk, end, entry, exit, newConversation, summary } from './bots.js';

const service = await startService();
const tenant = await makeTenant(service);
const desk = await Desk.open(service, tenant);
const strict = await Desk.open(service, tenant, { strict: true });
afterAll(() => service.stop());

/** Each violation with the events before it, the event that causes it, and the agents who are active afterwards. */
const CASES: Record<keyof typeof VIOLATIONS, { before: object[]; event: object; active: string[] }[]> = {
  NO_FIRST_ENTRY: [
    { before: [], event: entry('COLD'), active: ['A'] },
    { before: [], event: entry('WARM'), active: ['A'] },
  ],
  FIRST_ENTRY_WHILE_ACTIVE: [{ before: [entry('NA')], event: entry('NA', 'B'), active: ['A', 'B'] }],
  ENTRY_NOT_COLD: [{ before: [entry('NA'), exit('COLD')], event: entry('NA', 'B'), active: ['B'] }],
  ENTRY_AFTER_LAST_EXIT: [
    { before: [entry('NA'), exit('NA')], event: entry('NA'), active: ['A'] },
    { before: [entry('NA'), exit('NA')], event: entry('COLD', 'B'), active: ['B'] },
  ],
  COLD_ENTRY_WHILE_ACTIVE: [{ before: [entry('NA')], event: entry('COLD', 'B'), active: ['A', 'B'] }],
  WARM_ENTRY_WITHOUT_AGENT: [{ before: [entry('NA'), exit('NA')], event: entry('WARM', 'B'), active: ['B'] }],
  REDIAL_WHILE_ACTIVE: [{ before: [entry('NA')], event: entry('REDIAL', 'B'), active: ['A', 'B'] }],
  EXIT_NOT_WARM: [
    { before: [entry('NA'), entry('WARM', 'B')], event: exit('NA', 'B'), active: ['A'] },
    { before: [entry('NA'), entry('WARM', 'B')], event: exit('COLD', 'B'), active: ['A'] },
  ],
  WARM_EXIT_OF_NO_CONSULTANT: [{ before: [entry('NA')], event: exit('WARM'), active: [] }],
  EXIT_WHILE_OTHERS_ACTIVE: [{ before: [entry('NA'), entry('WARM', 'B')], event: exit('NA'), active: ['B'] }],
  REDIAL_EXIT: [{ before: [entry('REDIAL')], event: exit('REDIAL'), active: [] }],
  SUMMARY_BEFORE_LAST_EXIT: [
    { before: [], event: summary(), active: [] },
    { before: [entry('NA')], event: summary(), active: ['A'] },
    { before: [entry('NA'), exit('COLD')], event: summary(), active: [] },
  ],
  END_BEFORE_LAST_EXIT: [
    { before: [], event: end(), active: [] },
    { before: [entry('NA'), entry('WARM', 'B')], event: end(), active: [] },
    { before: [entry('NA'), exit('COLD')], event: end(), active: [] },
  ],
  AFTER_END: [
    { before: [entry('NA'), exit('NA'), end()], event: entry('NA', 'B'), active: [] },
    { before: [entry('NA'), exit('NA'), end()], event: entry('REDIAL'), active: [] },
    { before: [entry('NA'), exit('NA'), end()], event: summary(), active: [] },
  ],
};

const cases = Object.entries(CASES).flatMap(([code, list]) =>
  list.map((one, at) => [`${code} ${at + 1}`, code, one] as const),
);

describe.each(cases)('%s', (_, code, { before, event, active }) => {
  it('is recorded with its reason, and the event takes effect', async () => {
    const id = newConversation();
    if (before.length > 0) await desk.tell(id, ...before);
    const { status: was } = before.length > 0 ? await desk.read(id) : { status: 'waiting' };
    expect((await desk.tell(id, event)).body).toEqual({ STATUS: 'OK' });
    const conversation = await desk.read(id);
    const reason = VIOLATIONS[code as keyof typeof VIOLATIONS];
    expect(conversation.violations).toEqual([{ seq: before.length + 1, code, reason }]);
    expect(conversation.activeAgents.map(({ identity }) => identity)).toEqual(active);
    expect(conversation.violationCount).toBe(1);
    if (was === 'ended') expect(conversation.status).toBe('ended');
  });

  it('is refused by a strict bot, which keeps nothing of the call', async () => {
    const id = newConversation();
    if (before.length > 0) await strict.tell(id, ...before);
    const answer = await strict.tell(id, event);
    expect(answer.outcome).toBe('409 EVENT_OUT_OF_ORDER');
    const reason = VIOLATIONS[code as keyof typeof VIOLATIONS];
    expect(answer.body).toEqual({
      code: 409,
      message: expect.stringContaining(`events.0 comes out of order: ${reason}`) as string,
    });
    const fresh = newConversation();
    expect((await strict.tell(fresh, ...before, event)).outcome).toBe('409 EVENT_OUT_OF_ORDER');
    expect(await strict.read(fresh)).toBeUndefined();
    if (before.length > 0)
      expect(await strict.read(id)).toMatchObject({ eventCount: before.length, violationCount: 0 });
  });
});

describe('a repeat', () => {
  it('is accepted by a strict bot as well, even after the end', async () => {
    const id = newConversation();
    const events = [entry('NA'), exit('NA'), summary(), end()];
    await strict.tell(id, ...events);
    for (const event of [exit('NA'), summary(), end(), exit('COLD')]) {
      expect((await strict.tell(id, event)).outcome).toBe('200');
    }
    expect(await strict.read(id)).toMatchObject({ eventCount: 4, repeatCount: 4, violationCount: 0, status: 'ended' });
  });

  it('is an entry of an active agent, and an exit of an inactive one', async () => {
    const id = newConversation();
    await desk.tell(id, entry('NA'), entry('COLD'), exit('WARM', 'nobody'), exit('NA', 'nobody'));
    const { timeline, repeatCount, violationCount } = await desk.read(id);
    expect(timeline.map(({ kind, repeatCount: times }) => [kind, times])).toEqual([
      ['entry', 1],
      ['exit', 2],
    ]);
    expect([repeatCount, violationCount]).toEqual([3, 0]);
  });

  it('is not a summary request after a later message, or in another language', async () => {
    const id = newConversation();
    await desk.tell(id, entry('NA'), exit('NA'), summary(), summary('de-DE', 'German'), summary());
    await desk.say(id, 'One more thing');
    await desk.tell(id, summary());
    const { summaries, repeatCount } = await desk.read(id);
    expect(summaries.map(({ seq, locale }) => [seq, locale])).toEqual([
      [6, 'en-GB'],
      [4, 'de-DE'],
      [3, 'en-GB'],
    ]);
    expect(repeatCount).toBe(1);
  });

  it('is not the exit which says that no agent accepted a transfer', async () => {
    const id = newConversation();
    await strict.tell(id, entry('NA'), exit('COLD'));
    expect((await strict.read(id)).status).toBe('transferring');
    expect((await strict.tell(id, exit('COLD'), exit('NA'), exit('NA'), end())).outcome).toBe('200');
    expect(await strict.read(id)).toMatchObject({ status: 'ended', repeatCount: 2, violationCount: 0 });
  });

  it('of an event that came after the end is counted in its row', async () => {
    const id = newConversation();
    await desk.tell(id, entry('NA'), exit('NA'), end());
    await desk.tell(id, entry('NA', 'B'));
    await desk.tell(id, entry('NA', 'B'));
    expect(await desk.read(id)).toMatchObject({ eventCount: 4, repeatCount: 1, violationCount: 1, activeAgents: [] });
  });
});

it('a message after the end is recorded with a violation, and a strict bot refuses it', async () => {
  const [id, other] = [newConversation(), newConversation()];
  await desk.tell(id, entry('NA'), exit('NA'), end());
  await desk.say(id, 'Hello?');
  expect(await desk.read(id)).toMatchObject({ status: 'ended', messageCount: 1, violations: [{ code: 'AFTER_END' }] });
  await strict.tell(other, entry('NA'), exit('NA'), end());
  expect((await strict.say(other, 'Hello?')).body).toMatchObject({ code: 409 });
});

it('a conversation has at most a hundred agents at a time', async () => {
  const id = newConversation();
  const crowd = Array.from({ length: 100 }, (_, n) => entry(n === 0 ? 'NA' : 'WARM', `agent-${n}`));
  expect((await desk.tell(id, ...crowd)).outcome).toBe('200');
  expect((await desk.tell(id, entry('WARM', 'one-more'))).outcome).toBe('409 TOO_MANY_ACTIVE_AGENTS');
  await desk.tell(id, exit('WARM', 'agent-7'));
  expect((await desk.tell(id, entry('WARM', 'one-more'))).outcome).toBe('200');
  await desk.tell(id, end());
  const { timeline } = await desk.read(id, { limit: '1000' });
  expect(timeline.filter(({ kind, leftAt }) => kind === 'entry' && leftAt === null)).toEqual([]);
});
