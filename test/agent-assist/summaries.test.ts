import { extractSummary } from '../../src/modules/agent-assist/extract.js';
import { connectTo } from '../gateway/calls.js';
import { administratorOf, makeTenant, type Tenant } from '../support/actors.js';
import { eventually } from '../support/eventually.js';
import { ModelDouble } from '../support/providers/model-double.js';
import { startService } from '../support/service.js';
import { ADMIN, Desk, end, entry, exit, newConversation, summary } from './bots.js';

const service = await startService();
const tenant = await makeTenant(service);
const double = await ModelDouble.start();
afterAll(async () => {
  await service.stop();
  await double.stop();
});

interface Row {
  source: string;
  sourceSubtype: string;
  sourceId: string;
  sessionId: string;
  agentName: string;
  status: string;
}

async function ledgerOf({ api, projectId }: Tenant): Promise<Row[]> {
  const query = { fromDate: '2020-01-01T00:00:00Z', toDate: '2100-01-01T00:00:00Z' };
  const path = `/api/public/analytics/projects/${projectId}/llm-ledger`;
  return (await api.get<{ generations: Row[] }>(path, { query })).body.generations;
}

async function summarized(desk: Desk, ...events: object[]) {
  const id = newConversation();
  await desk.tell(id, entry('NA'));
  await desk.say(id, 'My parcel with the blue lamp has not arrived. It was sent last week!');
  await desk.say(id, 'I will send the blue lamp again today.', { author: { type: 'AGENT' } });
  await desk.say(id, 'The code of my card is 1234.', { sendUserMessage: false });
  await desk.say(id, 'Internal: this customer is difficult.', { author: { type: 'AGENT' }, sendAgentMessage: false });
  await desk.tell(id, exit('NA'), ...events, end());
  const { summaries } = await eventually(
    () => desk.read(id),
    (read) => read.summaries.length > 0 && read.summaries.every(({ status }) => status === 'ready'),
  );
  return { id, summaries };
}

describe('a summary, if the bot has a model,', () => {
  it('is written by the model in the requested language, from messages that models may see, and is in the ledger', async () => {
    const own = await makeTenant(service);
    const connectionId = await connectTo(own, double);
    const desk = await Desk.open(service, own, { connectionId });
    const { id, summaries } = await summarized(desk, summary('de-AT', 'German'));
    expect(summaries).toMatchObject([{ status: 'ready', madeBy: 'model', locale: 'de-AT' }]);
    expect(summaries[0]!.text.length).toBeGreaterThan(0);
    const asked = JSON.stringify(double.last.body.messages);
    expect(asked).toMatch(/German.*de-AT.*post/);
    expect(asked).toContain('USER: My parcel with the blue lamp has not arrived.');
    expect(asked).toContain('AGENT: I will send the blue lamp again today.');
    expect(asked).not.toMatch(/1234|difficult/);
    const [row] = await eventually(
      () => ledgerOf(own),
      (rows) => rows.length === 1,
    );
    expect(row).toMatchObject({
      source: 'runtime',
      sourceSubtype: 'sip_handoff_summary',
      sourceId: desk.botId,
      sessionId: id,
      agentName: 'Service desk',
      status: 'success',
    });
  });

  it('is made for each requested language', async () => {
    const connectionId = await connectTo(tenant, double);
    const desk = await Desk.open(service, tenant, { connectionId });
    const { summaries } = await summarized(desk, summary('fr-FR', 'French'), summary('en-GB'));
    expect(summaries.map(({ locale, madeBy }) => [locale, madeBy])).toEqual([
      ['en-GB', 'model'],
      ['fr-FR', 'model'],
    ]);
  });

  it('is made from the transcript if the connection is switched off or was deleted', async () => {
    const switchedOff = await connectTo(tenant, double);
    const path = `${ADMIN}/projects/${tenant.projectId}/connections`;
    const bots = [switchedOff, await connectTo(tenant, double)];
    const desks = await Promise.all(bots.map((connectionId) => Desk.open(service, tenant, { connectionId })));
    await administratorOf(service).patch(`${path}/${bots[0]}`, { status: 'INACTIVE' });
    await administratorOf(service).delete(`${path}/${bots[1]}`);
    for (const desk of desks) {
      const { summaries } = await summarized(desk, summary());
      expect(summaries).toMatchObject([{ status: 'ready', madeBy: 'transcript' }]);
    }
  });

  it('is made from the transcript after all attempts of the model have failed', async () => {
    const connectionId = await connectTo(tenant, double, 'no-key');
    const { summaries } = await summarized(await Desk.open(service, tenant, { connectionId }), summary());
    expect(summaries).toMatchObject([{ status: 'ready', madeBy: 'transcript' }]);
  }, 60_000);
});

describe('a summary, if the bot has no model,', () => {
  it('quotes only messages that models may see', async () => {
    const desk = await Desk.open(service, tenant);
    const { summaries } = await summarized(desk, summary('de-DE', 'German'));
    expect(summaries).toMatchObject([{ madeBy: 'transcript', locale: 'de-DE' }]);
    const { text } = summaries[0]!;
    expect(text).toContain('USER: My parcel with the blue lamp has not arrived.');
    expect(text).toContain('AGENT: I will send the blue lamp again today.');
    expect(text).toContain('Agent A');
    expect(text).not.toMatch(/1234|difficult/);
  });

  it('is made for a conversation without messages', async () => {
    const desk = await Desk.open(service, tenant);
    const id = newConversation();
    await desk.tell(id, entry('NA'), exit('NA'), summary(), end());
    const { summaries } = await eventually(
      () => desk.read(id),
      (read) => read.summaries[0]?.status === 'ready',
    );
    expect(summaries[0]!.text).toBe('Agent A · 0');
  });

  it('is made even if it is requested too late', async () => {
    const desk = await Desk.open(service, tenant);
    const id = newConversation();
    await desk.say(id, 'Hello');
    await desk.tell(id, entry('NA'), exit('NA'), end(), summary());
    const { summaries } = await eventually(
      () => desk.read(id),
      (read) => read.summaries[0]?.status === 'ready',
    );
    expect(summaries[0]!.text).toContain('USER: Hello');
  });
});

describe('an extract', () => {
  const at = new Date('2026-11-21T09:30:00Z');
  const line = (text: string, author: 'USER' | 'AGENT' = 'USER') => ({ author, text, at });

  it('writes dates, numbers and lists as the locale does, and as English for an invalid locale', () => {
    const transcript = { agents: ['Ada', 'Bob'], lines: [line('Hello'), line('Hi', 'AGENT')] };
    const heads = ['en-US', 'de-DE', 'de_DE', 'ja-JP', 'nonsense!', ''].map((locale) => {
      return extractSummary(transcript, locale).split('\n')[0]!;
    });
    expect(heads[0]).toContain('Nov 21, 2026');
    expect(heads[0]).toContain('Ada and Bob');
    expect(heads[1]).toContain('21.11.2026');
    expect(heads[1]).toContain('Ada und Bob');
    expect(heads[2]).toBe(heads[1]);
    expect(heads[3]).toContain('2026/11/21');
    expect(heads[4]).toContain('Ada and Bob');
    expect(heads[5]).toBe(heads[4]);
  });

  it('keeps the beginning, the end, and between them the most typical sentences', () => {
    const filler = ['Okay.', 'One moment.', 'Thanks.', 'Sure.', 'Right.', 'Hmm.', 'Good.'].map((text) =>
      line(text, 'AGENT'),
    );
    const transcript = {
      agents: [],
      lines: [
        line('My invoice for the router is wrong.'),
        ...filler,
        line('The router invoice has the wrong amount, I see.', 'AGENT'),
        ...filler,
        line('Goodbye.'),
      ],
    };
    const lines = extractSummary(transcript, 'en').split('\n').slice(1);
    expect(lines[0]).toBe('USER: My invoice for the router is wrong.');
    expect(lines).toContain('AGENT: The router invoice has the wrong amount, I see.');
    expect(lines.at(-1)).toBe('USER: Goodbye.');
    expect(lines.length).toBeLessThanOrEqual(6);
  });

  it('shortens long sentences', () => {
    const text = extractSummary({ agents: [], lines: [line('😀'.repeat(1000))] }, 'en');
    expect(text.length).toBeLessThan(450);
    expect(text.isWellFormed()).toBe(true);
  });
});
