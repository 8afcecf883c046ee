import { textOf } from '../../src/modules/mcp-connections/client/mcp-messages.js';

const structuredContent = { n: 7 };

it.each([
  ['no part', [], '{"n":7}'],
  ['an empty text', [{ type: 'text', text: '' }], '{"n":7}'],
  ['a blank text', [{ type: 'text', text: ' ' }, { type: 'text' }], ' \n[text]\n{"n":7}'],
  ['a text', [{ type: 'text', text: 'Seven.' }], 'Seven.'],
])('a model gets structured content unless a text repeats it: with %s', (_, content, text) => {
  expect(textOf({ content, structuredContent })).toBe(text);
});
