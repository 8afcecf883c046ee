import { gzipSync } from 'node:zlib';
import { read } from '../ledger/calls.js';
import { makeTenant } from '../support/actors.js';
import { startService } from '../support/service.js';
import { JSON_TYPE, PROTOBUF, toProtobuf, withIdsInBytes } from './formats.js';
import {
  aSpan,
  attributesOf,
  CHAT,
  exportOf,
  GZIPPED,
  newSpanId,
  newTraceId,
  send,
  sendBytes,
  sent,
  type SentSpan,
  tracesOf,
} from './spans.js';

const service = await startService();
afterAll(() => service.stop());

const MiB = 1024 * 1024;
const bytesOf = (body: object) => Buffer.from(JSON.stringify(body));

it('a gzipped body is unpacked, and refused if it is truncated', async () => {
  const tenant = await makeTenant(service);
  const packed = gzipSync(bytesOf(exportOf([aSpan()])));
  expect((await sendBytes(tenant, packed, GZIPPED)).outcome).toBe('200');
  for (const end of [3, 20, packed.length - 1]) {
    expect((await sendBytes(tenant, packed.subarray(0, end), GZIPPED)).outcome).toBe('400 MALFORMED_GZIP');
  }
  expect((await read(tenant)).body.total).toBe(1);
});

it.each([GZIPPED, { ...GZIPPED, ...PROTOBUF }])('unpacking stops at the size limit of a body: %j', async (headers) => {
  const bomb = gzipSync(Buffer.alloc(256 * MiB, ' '));
  expect(bomb.length).toBeLessThan(MiB);
  expect((await sendBytes(await makeTenant(service), bomb, headers)).outcome).toBe('413 PAYLOAD_TOO_LARGE');
});

it.each([
  ['text', Buffer.from('nonsense')],
  ['a message cut short', Buffer.of(0x0a, 0x20, 0x12)],
  ['a field of another type', Buffer.of(0x08, 0x01, 0x0f)],
])('%s is refused as protobuf', async (_, bytes) => {
  expect((await sendBytes(await makeTenant(service), bytes, PROTOBUF)).outcome).toBe('400 MALFORMED_PROTOBUF');
});

it('a request without spans is accepted, which has no bytes in protobuf', async () => {
  const tenant = await makeTenant(service);
  const nothing = Buffer.alloc(0);
  const requests: [Buffer, Record<string, string>][] = [
    [Buffer.from('{}'), JSON_TYPE],
    [nothing, PROTOBUF],
    [gzipSync(nothing), { ...GZIPPED, ...PROTOBUF }],
  ];
  for (const [bytes, headers] of requests) expect((await sendBytes(tenant, bytes, headers)).outcome).toBe('200');
  expect((await sendBytes(tenant, nothing, JSON_TYPE)).outcome).toBe('400 VALIDATION_ERROR');
});

it('a span whose messages are nested too deeply is kept with the beginning of their text', async () => {
  const tenant = await makeTenant(service);
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const attributes = { ...CHAT, 'gen_ai.input.messages': `[{"role":"user","content":${deep}}]` };
  expect((await send(tenant, exportOf([aSpan({ attributes }), aSpan()]))).outcome).toBe('200');
  expect((await read(tenant)).body.total).toBe(2);
});

it.each<[string, Record<string, string>, (spans: SentSpan[]) => Buffer]>([
  ['JSON', JSON_TYPE, (spans) => bytesOf(exportOf(spans))],
  ['protobuf', PROTOBUF, (spans) => toProtobuf(exportOf(spans.map(withIdsInBytes)))],
])('attributes without a value or a name are accepted in %s', async (_, headers, toBytes) => {
  const tenant = await makeTenant(service);
  const list = { key: 'list', value: { kvlistValue: { values: [{ key: 'empty' }, { value: { stringValue: 'a' } }] } } };
  const odd = [{ key: 'empty' }, { key: null, value: { stringValue: 'nameless' } }, list];
  const spans = [aSpan(), { ...aSpan(), attributes: [...attributesOf(CHAT), ...odd] }];
  expect(await sendBytes(tenant, toBytes(spans), headers)).toMatchObject({ outcome: '200' });
  expect((await read(tenant)).body.total).toBe(2);
  const kept = (await tracesOf(service, tenant)).map(({ observations }) => observations[0]!.attributes);
  expect(kept).toContainEqual({ ...CHAT, empty: null, '': 'nameless', list: { empty: null, '': 'a' } });
});

it('the name of a provider that becomes longer in lower case is cut', async () => {
  const tenant = await makeTenant(service);
  const long = aSpan({ attributes: { ...CHAT, 'gen_ai.provider.name': 'İ'.repeat(200) } });
  expect((await send(tenant, exportOf([long, aSpan()]))).outcome).toBe('200');
  const providers = (await read(tenant)).body.generations.map(({ provider }) => provider);
  expect(providers.toSorted()).toEqual(['İ'.toLowerCase().repeat(128), 'openai']);
});

it('invalid spans are left out with a reason, and the others are kept', async () => {
  const tenant = await makeTenant(service);
  const day = 86_400_000;
  const spans = [
    aSpan(),
    aSpan({ traceId: '0'.repeat(32) }),
    aSpan({ spanId: 'nonsense' }),
    aSpan({ parentSpanId: 'nonsense' }),
    aSpan({ from: Date.now() - 60_000, to: Date.now() - 61_000 }),
    aSpan({ from: Date.now() - 366 * day }),
    aSpan({ to: Date.now() + day }),
    { ...aSpan(), startTimeUnixNano: 'yesterday' },
  ];
  const { outcome, body } = await send(tenant, exportOf(spans));
  expect(outcome).toBe('200');
  expect(body.partialSuccess!.rejectedSpans).toBe('7');
  for (const reason of [
    'traceId',
    'spanId',
    'parentSpanId',
    'no end after it',
    'older than 365 days',
    'in the future',
  ]) {
    expect(body.partialSuccess!.errorMessage).toContain(reason);
  }
  expect((await read(tenant)).body.total).toBe(1);
});

it('a span that a tenant sends several times is one call', async () => {
  const [tenant, other] = [await makeTenant(service), await makeTenant(service)];
  const body = exportOf([aSpan()]);
  await Promise.all(Array.from({ length: 8 }, () => sent(tenant, body)));
  await sent(other, body);
  for (const each of [tenant, other]) expect((await read(each)).body.total).toBe(1);
  const [[mine], [theirs]] = [await tracesOf(service, tenant), await tracesOf(service, other)];
  expect(mine!.observations).toHaveLength(1);
  expect(theirs!.traceId).not.toBe(mine!.traceId);
});

it('a call without a session gets that of its trace, and children of an absent parent are at the top', async () => {
  const tenant = await makeTenant(service);
  const traceId = newTraceId();
  await sent(tenant, exportOf([aSpan({ traceId, attributes: { 'session.id': 'chat-17' } })]));
  const orphan = aSpan({ traceId, parentSpanId: newSpanId(), attributes: { 'openinference.span.kind': 'LLM' } });
  await sent(tenant, exportOf([orphan]));
  expect((await read(tenant)).body.generations).toMatchObject([{ sessionId: 'chat-17' }]);
  const [trace] = await tracesOf(service, tenant);
  expect(trace!.observations.map(({ parentObservationId }) => parentObservationId)).toEqual([null, null]);
});
