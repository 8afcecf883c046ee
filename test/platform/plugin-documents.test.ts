import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const EXAMPLE = join(ROOT, 'examples', 'acme-knowledge', 'src');
const files = [
  ...readdirSync(EXAMPLE).map((name) => join(EXAMPLE, name)),
  join(ROOT, 'test', 'platform', 'defined-entities.test.ts'),
];
const sources = files.map((file) => inOneLine(readFileSync(file, 'utf8')));

/** Documents indent an excerpt in their own way, and end it with a semicolon or without. */
function inOneLine(code: string): string {
  return code.replace(/\s+/g, ' ').trim().replace(/[;,]$/, '');
}

const page = readFileSync(join(ROOT, 'docs', 'extend', 'real-module.md'), 'utf8');
const excerpts = [...page.matchAll(/```ts\n(.+?)```/gs)].map(([, code]) => inOneLine(code!));

it('the page about a real module has excerpts', () => expect(excerpts.length).toBeGreaterThan(20));

it.each(excerpts)('the excerpt is code that runs in a test: %s', (excerpt) => {
  expect(sources.filter((source) => source.includes(excerpt))).not.toEqual([]);
});
