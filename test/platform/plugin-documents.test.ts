import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const REPOSITORY = join(ROOT, 'examples', 'acme-knowledge');
const EXAMPLE = join(REPOSITORY, 'src');
const files = [
  ...readdirSync(EXAMPLE).map((name) => join(EXAMPLE, name)),
  join(ROOT, 'test', 'platform', 'defined-entities.test.ts'),
];
const sources = files.map((file) => inOneLine(readFileSync(file, 'utf8')));

/** Documents indent an excerpt in their own way, and end it with a semicolon or without. */
function inOneLine(code: string): string {
  return code.replace(/\s+/g, ' ').trim().replace(/[;,]$/, '');
}

const textOf = (...path: string[]) => readFileSync(join(ROOT, 'docs', ...path), 'utf8');
const page = textOf('extend', 'real-module.md');
const excerpts = [...page.matchAll(/```ts\n(.+?)```/gs)].map(([, code]) => inOneLine(code!));

it('the page about a real module has excerpts', () => expect(excerpts.length).toBeGreaterThan(20));

it.each(excerpts)('the excerpt is code that runs in a test: %s', (excerpt) => {
  expect(sources.filter((source) => source.includes(excerpt))).not.toEqual([]);
});

it.each(['package.json', 'tsconfig.json'])('the page about a plugin has %s as the example has it', (file) => {
  const [, afterName] = textOf('extend', 'plugin.md').split(`\`${file}\``);
  const [, shown] = /```json\n(.+?)```/s.exec(afterName!)!;
  const text = readFileSync(join(REPOSITORY, file), 'utf8');
  expect(JSON.parse(text)).toMatchObject(JSON.parse(shown!) as object);
});

it('the package exports each mark that the pages name', () => {
  const [, marks] = /## All marks(.+?)\n## /s.exec(textOf('extend', 'plug-points.md'))!;
  const named = [...marks!.matchAll(/^\| `@(\w+)` +\|(?: `(\w+)`)?/gm)].flatMap(([, mark, base]) => [mark!, base]);
  const [decorators] = /^- .+ are decorators/m.exec(page)!;
  named.push(...[...decorators.matchAll(/`(\w+)`/g)].map(([, mark]) => mark));
  expect(named).toEqual(expect.arrayContaining(['ConnectsTo', 'ConnectionProtocol', 'NotAudited']));
  const exported = textOf('plugin-api.md');
  expect(named.filter((name) => name && !new RegExp(`\\b(class|function|const) ${name}\\b`).test(exported))).toEqual(
    [],
  );
});
