import { gzipSync } from 'node:zlib';
import { makeTenant } from '../support/actors.js';
import { startService } from '../support/service.js';
import { field, JSON_TYPE, PROTOBUF, toProtobuf, withIdsInBytes } from './formats.js';
import {
  aSpan,
  attributesOf,
  CHAT,
  exportOf,
  newTraceId,
  send,
  sendBytes,
  sent,
  type SentSpan,
  tracesOf,
} from './spans.js';

const service = await startService();
afterAll(() => service.stop());

const VALUES = 2_000_001;
const REQUEST_OF = 0x0a;
const empties = (tag: number) => Buffer.alloc(2 * VALUES, Buffer.of(tag, 0));
const listOf = (value: string, count: number) => `[${`${value},`.repeat(count - 1)}${value}]`;
const inSpans = (list: string) => `{"resourceSpans":[{"scopeSpans":[{"spans":${list}}]}]}`;

type Headers = Record<string, string>;

/** Sends the bytes plain and gzipped, and returns both outcomes with their issues. */
async function refusalsOf(bytes: Buffer, headers: Headers) {
  const tenant = await makeTenant(service);
  const plain = await sendBytes(tenant, bytes, headers);
  const packed = await sendBytes(tenant, gzipSync(bytes), { ...headers, 'content-encoding': 'gzip' });
  return [plain, packed].map(({ outcome, issues }) => ({ outcome, issues }));
}

const refused = (path: string, message: string) =>
  Array<object>(2).fill({ outcome: '400 VALIDATION_ERROR', issues: [{ path, message }] });

it.each<[string, Headers, Buffer]>([
  ['resources in JSON', JSON_TYPE, Buffer.from(`{"resourceSpans":${listOf('{}', VALUES / 2)}}`)],
  ['spans in JSON', JSON_TYPE, Buffer.from(inSpans(listOf('{}', VALUES / 2)))],
  ['resources in protobuf', PROTOBUF, empties(0x0a)],
  ['spans in protobuf', PROTOBUF, field(REQUEST_OF, field(0x12, empties(0x12)))],
  ['unknown fields in protobuf', PROTOBUF, empties(0x7a)],
  ['names of one span in protobuf', PROTOBUF, field(REQUEST_OF, field(0x12, field(0x12, empties(0x2a))))],
])('more than two million values are refused: %s', async (_, headers, bytes) => {
  expect(await refusalsOf(bytes, headers)).toEqual(refused('', 'has more than 2000000 values'));
});

const halves = (count: number, wrap: (empty: object[]) => object) =>
  [Math.floor(count / 2), Math.ceil(count / 2)].map((half) => wrap(Array.from({ length: half }, () => ({}))));

it.each<[string, object]>([
  ['resourceSpans', { resourceSpans: Array.from({ length: 10_001 }, () => ({})) }],
  ['scopeSpans', { resourceSpans: halves(10_001, (scopeSpans) => ({ scopeSpans })) }],
  ['spans', { resourceSpans: [{ scopeSpans: halves(10_001, (spans) => ({ spans })) }] }],
])('more than ten thousand %s are refused, wherever they are', async (kind, request) => {
  const refusals = refused(
    'resourceSpans',
    `has 10001 ${kind}, and the limit of a request is 10000; send fewer at a time`,
  );
  expect(await refusalsOf(Buffer.from(JSON.stringify(request)), JSON_TYPE)).toEqual(refusals);
  expect(await refusalsOf(toProtobuf(request), PROTOBUF)).toEqual(refusals);
});

it.each<[string, Headers, (spans: SentSpan[]) => Buffer]>([
  ['JSON', JSON_TYPE, (spans) => Buffer.from(JSON.stringify(exportOf(spans)))],
  ['protobuf', PROTOBUF, (spans) => toProtobuf(exportOf(spans.map(withIdsInBytes)))],
])('ten thousand spans are accepted in %s', async (_, headers, toBytes) => {
  const tenant = await makeTenant(service);
  const spans = Array.from({ length: 10_000 }, () => aSpan({ attributes: {} }));
  expect((await sendBytes(tenant, toBytes(spans), headers)).outcome).toBe('200');
  const query = 'select count(*)::integer as count from observation where project_id = $1';
  expect(await service.database.rows(query, [tenant.projectId])).toEqual([{ count: 10_000 }]);
});

it('many long calls get the sessions of their traces, and are recorded once', async () => {
  const tenant = await makeTenant(service);
  const { 'gen_ai.conversation.id': _, ...bare } = { ...CHAT, 'gen_ai.input.messages': 'x'.repeat(40_000) };
  const traces = Array.from({ length: 30 }, newTraceId);
  // The first call of each trace names the session of both.
  const spans = traces.flatMap((traceId) => [
    aSpan({ traceId, attributes: { ...bare, 'gen_ai.conversation.id': `session of ${traceId}` } }),
    aSpan({ traceId, attributes: bare }),
  ]);
  for (let time = 0; time < 2; time += 1) await sent(tenant, exportOf(spans));
  const sessions = await service.database.rows<{ session: string }>(
    'select session_id as session from ledger_row where project_id = $1',
    [tenant.projectId],
  );
  const expected = traces.flatMap((traceId) => Array<string>(2).fill(`session of ${traceId}`));
  expect(sessions.map(({ session }) => session).sort()).toEqual(expected.sort());
});

it.each([
  ['resourceSpans', { resourceSpans: 5 }],
  ['resourceSpans.0.scopeSpans', { resourceSpans: [{ scopeSpans: { length: 20_000 } }] }],
  ['resourceSpans.0.scopeSpans.0', { resourceSpans: [{ scopeSpans: [null] }] }],
  ['resourceSpans.0.scopeSpans.0.spans', { resourceSpans: [{ scopeSpans: [{ spans: 'many' }] }] }],
])('a value at %s that is not a list is refused by the schema', async (path, body) => {
  expect(await send(await makeTenant(service), body)).toMatchObject({
    outcome: '400 VALIDATION_ERROR',
    faults: [path],
  });
});

/** Nests lists in one another in an attribute of a resource. */
function nestedLists(levels: number): Buffer {
  let bytes: Buffer = Buffer.alloc(0);
  for (let level = 0; level < levels; level += 1) bytes = field(level % 2 === 0 ? 0x0a : 0x2a, bytes);
  return [0x12, 0x0a, 0x0a, REQUEST_OF].reduce<Buffer>((within, tag) => field(tag, within), bytes);
}

it.each([58, 70, 2_000])('%d messages within one another are refused in protobuf as in JSON', async (levels) => {
  const [plain, packed] = await refusalsOf(nestedLists(levels), PROTOBUF);
  expect(packed).toEqual(plain);
  expect(plain).toMatchObject({
    outcome: '400 VALIDATION_ERROR',
    issues: [{ message: 'is nested deeper than 64 levels' }],
  });
});

it('a span is accepted with very many malformed attributes and events', async () => {
  const tenant = await makeTenant(service);
  const bare = JSON.stringify({ ...aSpan(), attributes: 'A', events: 'E' });
  const attributes = JSON.stringify(attributesOf(CHAT)).replace('[', `[${'null,'.repeat(200_000)}`);
  const span = bare.replace('"A"', attributes).replace('"E"', listOf('0', 200_000));
  expect((await sendBytes(tenant, Buffer.from(inSpans(`[${span}]`)), JSON_TYPE)).outcome).toBe('200');
  const [trace] = await tracesOf(service, tenant);
  expect(trace!.observations[0]!.attributes).toMatchObject(CHAT);
});

it('JSON in texts is read up to the limit of a body, and later spans are kept as they were sent', async () => {
  const tenant = await makeTenant(service);
  const messages = listOf('{"content":{}}', 60_000);
  const spans = Array.from({ length: 6 }, () => aSpan({ attributes: { ...CHAT, 'gen_ai.input.messages': messages } }));
  await sent(tenant, exportOf(spans));
  const traces = await tracesOf(service, tenant);
  const areRead = traces.map(({ input }) => input!.includes('"role"'));
  expect(areRead.sort((a, b) => Number(b) - Number(a))).toEqual([true, true, true, true, true, false]);
});
