import fc from 'fast-check';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { stringifyInSteps } from '../../src/kernel/json-steps.js';

const expectAsStringified = async (...values: unknown[]) =>
  expect(await stringifyInSteps(values)).toEqual(values.map((value) => JSON.stringify(value)));

it('renders short values as JSON.stringify does', () =>
  fc.assert(fc.asyncProperty(fc.array(fc.jsonValue()), (values) => expectAsStringified(...values))));

it.each([
  ['a text', 'word "x"\n'.repeat(50_000)],
  ['a text of pairs of surrogates, wherever it is cut', `x${'\u{1F600}'.repeat(200_000)}`],
  ['a text of pairs of surrogates that begins elsewhere', '\u{1F600}'.repeat(200_000)],
  ['a text with half of a pair', '\ud83d'.repeat(200_000)],
  ['many items', Array.from({ length: 50_000 }, (_, at) => ({ role: 'user', content: `${at}` }))],
  ['items that JSON lacks', [undefined, null, 'x'.repeat(100_000)]],
  ['members that JSON lacks', { a: undefined, b: 'x'.repeat(100_000), c: undefined, 'd "e"': [1.5, true, null] }],
  ['a long value deep within short ones', { a: [{ b: ['x'.repeat(200_000), {}] }, []], c: 'd' }],
])('renders %s as JSON.stringify does', (_name, value) => expectAsStringified(value, [value], { value }));

it('serves others meanwhile', async () => {
  let turns = 0;
  let isOver = false;
  const others = (async () => {
    for (; !isOver; turns += 1) await nextTurn();
  })();
  await stringifyInSteps([{ text: 'word "x"\n'.repeat(2_000_000) }]);
  isOver = true;
  await others;
  expect(turns).toBeGreaterThan(3);
});
