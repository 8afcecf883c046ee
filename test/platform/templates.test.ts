import { JsonText } from '../../src/kernel/json-text.js';
import { ComputePool } from '../../src/platform/compute/compute-pool.js';
import { computeTask } from '../../src/platform/compute/compute-task.js';
import { filledHere } from '../../src/platform/template/plain.js';
import { type Scope, scopeOf, textsOf } from '../../src/platform/template/scope.js';
import type { FillAnswer, FillAsk, FillRequest } from '../../src/platform/template/template.thread.js';

const task = computeTask<FillRequest, FillAnswer>('../../src/platform/template/template', import.meta.url);
const pool = new ComputePool();
afterAll(() => pool.onApplicationShutdown());

const scope: Scope = {
  ...scopeOf({
    input: { name: 'Ada', n: 5, list: [1, { b: 2 }], empty: '', none: null, 'with-dash': 'x', text: 'a\n{{ b }}' },
    run: { id: 'r-1' },
  }),
  nodes: {
    call: JsonText.parsed('{"body":{"items":[{"id":7}]},"isOpen":true}'),
    long: JsonText.of('x'.repeat(100_000)),
  },
};

async function inThread(ask: FillAsk) {
  const answer = await pool.run(
    task,
    { ...ask, scope: textsOf(scope), characters: 1_000_000 },
    { projectId: 'p-1', ms: 5_000 },
  );
  if ('fault' in answer) return answer.fault;
  return { ...answer, value: answer.value === undefined ? undefined : (JSON.parse(answer.value) as unknown) };
}

it.each<FillAsk>([
  { value: '{{ input.name }}' },
  { value: '{{input.n}}' },
  { value: ' {{- input.list -}} ' },
  { value: 'No {{ input.list }}, {{ input.none }} and {{ nobody.there }}' },
  { value: { a: ['{{ nodes.call.body.items[0].id }}', 1, null], b: { c: '{{ input.with-dash }}!' } } },
  { value: '{{ input.text }}' },
  { value: 'Nothing to fill { in } here' },
  { value: '{{ input.list.size }} {{ input.name.size }} {{ input.list.first }}' },
  { texts: { url: 'http://host/{{ input.n }}', headers: { a: '{{ input.list }}' } } },
  { texts: '{{ input.none }}' },
  { condition: 'input.n > 4 and nodes.call.isOpen' },
  { condition: 'input.empty == "" or nothing' },
  { condition: 'not nodes.call.isOpen' },
  { condition: "input.name == 'Bob' or input.n <= -1.5" },
  { condition: 'input.list == input.list' },
  { condition: 'input.empty == empty and input.none == nil and input.none == blank' },
])('fills a plain template inline, with the result of a thread: %j', async (ask) => {
  const here = filledHere(ask, scope);
  expect(here).toBeDefined();
  expect(await inThread(ask)).toEqual(here);
});

it.each<FillAsk>([
  { value: '{{ input.name | upcase }}' },
  { value: '{% if input.n %}yes{% endif %}' },
  { value: '{{ (1..9) }}' },
  { value: '{{ nodes }}' },
  { value: '{{ input["name"] }}' },
  { value: '{{ nodes.long }}' },
  { value: '{{ input.name }}'.repeat(300) },
  { value: '{{ input.n }}'.repeat(101) },
  { value: Array.from({ length: 300 }, () => 'x') },
  { condition: '(1..9) == 5' },
  { condition: 'input.list contains 1' },
  { condition: 'input.name' + ' or input.name'.repeat(100) },
  { condition: `${'a'.repeat(480)}(` },
])('leaves any other template to a thread: %j', async (ask) => {
  expect(filledHere(ask, scope)).toBeUndefined();
});

it('recognizes in a moment that a template is not plain, however it is made', () => {
  const begun = performance.now();
  for (const text of [
    '{{ '.repeat(1_300),
    `{{ ${'a-'.repeat(1_900)}`,
    `{{ a${'.a'.repeat(1_900)} |`,
    '{'.repeat(4_000),
  ]) {
    filledHere({ value: text }, scope);
    filledHere({ condition: text.slice(0, 500) }, scope);
  }
  expect(performance.now() - begun).toBeLessThan(1_000);
});
