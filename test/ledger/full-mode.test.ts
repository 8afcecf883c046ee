import { makeTenant, type Tenant } from '../support/actors.js';
import type { Refused } from '../support/client.js';
import { startService } from '../support/service.js';
import { aCall, at, MiB, read, written } from './calls.js';

const service = await startService();
afterAll(() => service.stop());
// The numbers of calls have as many digits from here on, so that answers with equal calls have equal lengths.
await service.database.rows(`select setval('ledger_call_number', 100000)`);

const withText = (text: string, changes: object = {}) => aCall({ ...changes, payload: { response: { text } } });
const full = (tenant: Tenant, query = {}) => read(tenant, { dataMode: 'full', ...query });
const bytesOf = ({ text }: { text: string }) => Buffer.byteLength(text);

it('full mode adds the payload as it was written, with or without a model', async () => {
  const tenant = await makeTenant(service);
  const request = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi' }], temperature: 0 };
  const response = { text: 'Hello "world" \u{1F600} \u0001 \\u0000', finishReason: 'stop' };
  await written(
    tenant,
    aCall({ timestamp: at(1), payload: { request, response } }),
    aCall({ timestamp: at(2), model: 'm', payload: { request: { messages: [] } } }),
    aCall({ timestamp: at(3) }),
  );
  const [both, half, none] = (await full(tenant)).body.generations;
  expect(both).toMatchObject({ payloadState: 'available' });
  expect(both!.payload).toStrictEqual({ request, response });
  expect(half!.payload).toStrictEqual({ request: { messages: [] }, response: null });
  expect(none!.payloadState).toBe('missing');
  expect(none).not.toHaveProperty('payload');
});

it.each([null, {}, { request: null, response: null }, { response: {} }, { request: {}, response: {} }])(
  'a payload without content is missing: %j',
  async (payload) => {
    const tenant = await makeTenant(service);
    await written(tenant, aCall({ payload }));
    for (const { body } of [await full(tenant), await read(tenant)]) {
      expect(body.generations).toMatchObject([{ payloadState: 'missing' }]);
      expect(body.generations[0]).not.toHaveProperty('payload');
    }
  },
);

it.each([{ text: null, toolCalls: [{ name: 'weather' }] }, { toolCalls: [{ name: 'weather' }] }])(
  'an answer of tool calls only is kept as it was written: %j',
  async (response) => {
    const tenant = await makeTenant(service);
    await written(tenant, aCall({ payload: { response } }));
    const [call] = (await full(tenant)).body.generations;
    expect(call).toMatchObject({ payloadState: 'available', payload: { request: null, response } });
    expect(call!.payload).toStrictEqual({ request: null, response });
  },
);

it('a summary leaves the payload out, and says that it is available', async () => {
  const tenant = await makeTenant(service);
  await written(tenant, withText('x'));
  const [call] = (await read(tenant)).body.generations;
  expect(call!.payloadState).toBe('available');
  expect(call).not.toHaveProperty('payload');
});

/** Makes a tenant with two calls whose answer has exactly this number of bytes. */
async function twoCallsOf(bytes: number, character = 'x'): Promise<Tenant> {
  const width = Buffer.byteLength(character);
  const make = async (filling: number) => {
    const tenant = await makeTenant(service);
    const texts = [character.repeat(Math.floor(filling / 2 / width)), ''];
    texts[1] = 'y'.repeat(filling - Buffer.byteLength(texts[0]!));
    for (const [place, text] of texts.entries()) {
      await written(tenant, withText(text, { callId: `c${place}`, timestamp: at(place) }));
    }
    return tenant;
  };
  const measured = bytesOf(await full(await make(1000)));
  return make(1000 + bytes - measured);
}

describe('an answer', () => {
  it.each(['x', 'é', '\u{1F600}'])('of exactly 1 MiB of %s is complete', async (character) => {
    const answer = await full(await twoCallsOf(MiB, character));
    expect(bytesOf(answer)).toBe(MiB);
    expect(answer.body).toMatchObject({ total: 2, limit: 100, hasMore: false });
    expect(answer.body.generations).toHaveLength(2);
  });

  it.each(['x', 'é'])('that would have one byte more lacks the last call', async (character) => {
    const tenant = await twoCallsOf(MiB + 1, character);
    const answer = await full(tenant);
    expect(answer.body).toMatchObject({ total: 2, limit: 100, offset: 0, hasMore: true });
    expect(answer.body.generations).toHaveLength(1);
    const rest = await full(tenant, { offset: '1' });
    expect(rest.body).toMatchObject({ total: 2, hasMore: false });
    expect(rest.body.generations).toHaveLength(1);
  });

  it('is never longer, and pages by the number of received calls lose none', async () => {
    const tenant = await makeTenant(service);
    const calls = Array.from({ length: 12 }, (_, i) => withText('z'.repeat(40_000 * ((i * 7) % 9) + i)));
    for (const call of calls) await written(tenant, call);
    const names: string[] = [];
    for (let hasMore = true; hasMore;) {
      const answer = await full(tenant, { offset: String(names.length), limit: '10000' });
      expect(bytesOf(answer)).toBeLessThanOrEqual(MiB);
      names.push(...answer.body.generations.map(({ callId }) => callId));
      hasMore = answer.body.hasMore;
    }
    expect(names).toEqual(calls.map(({ callId }) => callId));
  });

  it('with a call that is too large on its own is refused, and the error names the call and the way past it', async () => {
    const tenant = await makeTenant(service);
    await written(tenant, withText('a', { timestamp: at(1) }));
    await written(tenant, withText('b'.repeat(MiB - 200), { timestamp: at(2), callId: 'huge' }));
    await written(tenant, withText('c', { timestamp: at(3) }));
    expect((await full(tenant)).body).toMatchObject({ total: 3, hasMore: true, generations: [{}] });
    const refused = await full(tenant, { offset: '1' });
    expect(refused.outcome).toBe('413 RESPONSE_TOO_LARGE');
    const { message } = (refused.body as unknown as Refused).error;
    const [, huge] = (await read(tenant)).body.generations;
    expect(message).toContain(huge!.id);
    const [, offset = ''] = /offset=(\d+)/.exec(message)!;
    expect((await full(tenant, { offset })).body.generations).toHaveLength(1);
  });
});
