import { monitorEventLoopDelay } from 'node:perf_hooks';
import { makeTenant } from '../support/actors.js';
import { startService } from '../support/service.js';
import {
  deployedTool,
  endedRun,
  envOf,
  execute,
  flowDocument,
  flowOf,
  importTool,
  outcomeOf,
  toolDocument,
} from './make.js';

const service = await startService();
const tenant = await makeTenant(service);
afterAll(() => service.stop());

/** Returns the result of the work, and the longest time in milliseconds for which it blocked the event loop. */
async function holding<T>(work: () => Promise<T>): Promise<{ result: T; heldMs: number }> {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  const result = await work();
  // The monitor records a delay only at the next turn of the event loop.
  await tenant.api.get('/health/live');
  delay.disable();
  return { result, heldMs: delay.max / 1e6 };
}

/**
 * The limit for which one request may block others. Without the limits of tools, these blocked for seconds to minutes.
 */
const HELD_MS = 5_000;

it('the event loop is not blocked by long and similar secrets', async () => {
  const value = (at: number) => `${'a'.repeat(400 + at)}b${'a'.repeat(15_000)}`;
  const env = envOf([0, 1, 2].map((at) => ({ name: `S${at}`, value: value(at), secret: true })));
  const toolId = await deployedTool(tenant, { env });
  const { result, heldMs } = await holding(() => execute(tenant, toolId, { text: 'a'.repeat(1_000_000) }));
  expect(result.body.status).toBe('completed');
  expect(heldMs).toBeLessThan(HELD_MS);
});

it('an import refuses more secrets than can be masked in time', async () => {
  const secrets = (many: number) =>
    Array.from({ length: many }, (_, at) => ({ name: `S${at}`, value: 'x'.repeat(16_384), secret: true }));
  expect((await importTool(tenant, { env: envOf(secrets(4)) })).status).toBe('SUCCESS');
  expect((await importTool(tenant, { env: envOf(secrets(5)) })).error).toStrictEqual({
    code: 'ENV_DOCUMENT_INVALID',
    message: 'The env document: its secrets, together with the stored ones, have 81920 characters; the limit is 65536.',
  });
});

it('the event loop is not blocked by a cycle of nodes that only compute, and the run’s time ends', async () => {
  const condition = { id: 'again', type: 'condition', expression: '(1..50000) contains 0' };
  const flow = flowDocument(
    [{ id: 'start', type: 'start' }, condition, { id: 'end', type: 'end' }],
    [
      { from: 'start', to: 'again' },
      { from: 'again', to: 'end', when: 'true' },
      { from: 'again', to: 'again', when: 'false' },
    ],
  );
  const toolId = await deployedTool(tenant, { flow });
  const { result, heldMs } = await holding(async () => {
    const { body } = await execute(tenant, toolId, {}, { timeoutMs: 300 });
    return endedRun(tenant, toolId, body.runId);
  });
  expect(result.error?.code).toBe('RUN_TIMED_OUT');
  expect(heldMs).toBeLessThan(HELD_MS);
});

it.each([
  ['a pattern of many steps', { pattern: '(?:a|b|[ab][ab]){1,900}[xyz]' }],
  ['many lengths', { allOf: Array.from({ length: 450 }, () => ({ maxLength: 1_000_000 })) }],
  ['many formats', { allOf: Array.from({ length: 450 }, () => ({ format: 'json-pointer' })) }],
])('the event loop is not blocked by %s', async (_, text) => {
  const inputSchema = { type: 'object', properties: { text } };
  const toolId = await deployedTool(tenant, { tool: toolDocument({ inputSchema }) });
  const { result, heldMs } = await holding(() => execute(tenant, toolId, { text: '/ab'.repeat(100_000) }));
  expect(result).toMatchObject({ outcome: '400 TOOL_INPUT_INVALID', faults: ['input'] });
  expect(result.text).toContain('has texts that are too long for the patterns, formats and lengths of the schema');
  expect(heldMs).toBeLessThan(HELD_MS);
  expect((await execute(tenant, toolId, { text: '/abx' })).body.status).toBe('completed');
});

const doubled = (times: number, how: string) => `{% for i in (1..${times}) %}{% assign x = x | ${how} %}{% endfor %}`;

it.each([
  ['texts that double', Array.from({ length: 50 }, () => `{% assign x = 'Ā' %}${doubled(22, 'append: x')}{{ x }}`)],
  ['a text written again and again', '{% for i in (1..500) %}{{ input.text }}{% endfor %}'],
  ['lists that hold themselves twice', `{% assign x = 'z' | split: ',' %}${doubled(26, 'push: x')}{{ x | upcase }}`],
  ['lists filled in many times', { lists: Array.from({ length: 200 }, () => '{{ input.list }}') }],
  ['a long search', '{{ input.text | split: input.pattern | size }}'],
  ['a path read of very many items', '{{ input.list | find: "a.b.c.d.e.f.g.h", 1 }}!'],
  ['dates in a long format', '{{ "now" | date: input.dates }}!'],
])('the event loop is not blocked by templates of %s', async (_, output) => {
  const pattern = `${'a'.repeat(400)}b${'a'.repeat(10_000)}`;
  const list = Array.from({ length: 40_000 }, () => 1);
  const input = { text: 'a'.repeat(500_000), pattern, list, dates: '%A%B%c'.repeat(10_000) };
  const toolId = await deployedTool(tenant, { flow: flowOf([], { end: { output } }) });
  const { result, heldMs } = await holding(() => execute(tenant, toolId, input));
  expect(result.body.error?.code).toMatch(/^TEMPLATE_(TOO_LARGE|TIMED_OUT)$/);
  expect(heldMs).toBeLessThan(HELD_MS);
});

it.each([
  ['a text', '{{a}}'.repeat(501), 'output has more than 500 tags'],
  [
    'a document',
    Array.from({ length: 21 }, () => '{{a}}'.repeat(500)),
    'document: has more than 10000 tags of templates',
  ],
])('an import refuses %s with more tags than can be read in time', async (_, output, reason) => {
  const { error } = await importTool(tenant, { flow: flowOf([], { end: { output } }) });
  expect(error?.code).toBe('FLOW_DOCUMENT_INVALID');
  expect(error?.message).toContain(reason);
});

it('large templates within the limits are filled', async () => {
  const flow = flowOf([], { end: { output: { text: '{{ input.text }}', longer: '{{ input.text }}!' } } });
  const text = 'a'.repeat(500_000);
  expect(await outcomeOf(tenant, { flow }, { text })).toMatchObject({ output: { text, longer: `${text}!` } });
});
