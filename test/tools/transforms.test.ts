import { makeTenant } from '../support/actors.js';
import { startService } from '../support/service.js';
import { flowOf, importTool, outcomeOf } from './make.js';

const service = await startService();
const tenant = await makeTenant(service);
afterAll(() => service.stop());

const transform = (more: object) => flowOf([{ id: 't', type: 'transform', ...more }]);
const LINES = [
  { id: 7, price: 2.5, isOpen: true },
  { id: 8, price: 4, isOpen: false },
];

it('makes a value of templates, with the types of what they name', async () => {
  const output = {
    ids: '{{ input.lines | map: "id" }}',
    total: '{{ input.lines | map: "price" | sum }}',
    first: ['{{ input.lines[0] }}', 'No. {{ input.lines[0].id }}'],
    isNew: true,
  };
  const run = await outcomeOf(tenant, { flow: transform({ output }) }, { lines: LINES });
  expect(run).toMatchObject({
    status: 'completed',
    output: { ids: [7, 8], total: 6.5, first: [LINES[0], 'No. 7'], isNew: true },
  });
});

it('makes a list of another list, and leaves items out', async () => {
  const each = {
    each: '{{ input.lines }}',
    output: { no: '{{ index | plus: 1 }}', id: '{{ item.id }}', of: '{{ input.of }}' },
  };
  const all = await outcomeOf(tenant, { flow: transform(each) }, { lines: LINES, of: 2 });
  expect(all.output).toEqual([
    { no: 1, id: 7, of: 2 },
    { no: 2, id: 8, of: 2 },
  ]);
  const cheap = transform({ ...each, output: '{{ item.id }}', where: 'item.price > 3 or item.isOpen != true' });
  expect((await outcomeOf(tenant, { flow: cheap }, { lines: LINES })).output).toEqual([8]);
});

it('makes lists of hundreds of items', async () => {
  const lines = Array.from({ length: 300 }, (_, id) => ({ id }));
  const flow = transform({ each: '{{ input.lines }}', output: { id: '{{ item.id }}', name: 'Line {{ item.id }}' } });
  const { output } = await outcomeOf(tenant, { flow }, { lines });
  expect((output as object[])[299]).toEqual({ id: 299, name: 'Line 299' });
});

it.each([
  ['is not made of a list', { each: '{{ input.name }}', output: 1 }, 'NOT_A_LIST'],
  ['repeats more than the limit', { each: '{{ input.many }}', output: 'x'.repeat(90_000) }, 'TEMPLATE_TOO_LARGE'],
])('fails if it %s', async (_, members, code) => {
  const input = { name: 'Ada', many: Array(50).fill(0) };
  expect(await outcomeOf(tenant, { flow: transform(members) }, input)).toMatchObject({
    status: 'failed',
    error: { code },
  });
});

it.each([
  ['without its output', {}, 'nodes.1.output'],
  ['with a bad template', { output: ['{{ input'] }, 'nodes.1.output.0 is not a valid Liquid template'],
  [
    'with a bad condition',
    { output: 1, each: '{{ input.lines }}', where: 'item ==' },
    'nodes.1.where is not a complete',
  ],
  ['with a condition alone', { output: 1, where: 'item' }, 'nodes.1.where has no effect without `each`'],
])('is refused %s', async (_, members, message) => {
  const { error } = await importTool(tenant, { flow: transform(members) });
  expect(error!.message).toContain(message);
});
