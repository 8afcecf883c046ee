import { apiOf, breaksSince } from '../../scripts/documents/released-api.mjs';

const page = (...declarations: string[]) =>
  ['# What plugins can use', '## slipway/plugin', '```ts', ...declarations, '```'].join('\n');
const THING = ['class Thing {', '    abstract read(): string;', '    write(text: string): void;', '}'];
const LIMIT = 'const LIMIT: number;';
const declarations = apiOf(page(...THING, LIMIT));

/** Returns what breaks if the page has these declarations. */
function breaks(now: string[], version = '1.2.0', released = '1.0.0'): string[] {
  return breaksSince({ version: released, declarations }, apiOf(page(...now)), version);
}

it('takes what is the same, and what is added', () => {
  expect(breaks([...THING, LIMIT])).toEqual([]);
  const more = [
    ...THING.slice(0, 3),
    '    more(): void;',
    '}',
    LIMIT,
    'abstract class Other {',
    '    abstract x(): void;',
    '}',
  ];
  expect(breaks(more)).toEqual([]);
});

it.each([
  ['a name that was removed', THING, 'LIMIT of slipway/plugin was removed.'],
  [
    'a type that changed',
    [...THING, 'const LIMIT: string;'],
    'LIMIT of slipway/plugin no longer has: const LIMIT: number;',
  ],
  [
    'a member that was removed',
    [...THING.toSpliced(2, 1), LIMIT],
    'Thing of slipway/plugin no longer has: write(text: string): void;',
  ],
  [
    'a member that plugins must have',
    [...THING.toSpliced(2, 0, '    abstract more(): void;'), LIMIT],
    'Thing of slipway/plugin now needs: abstract more(): void;',
  ],
])('names %s, and says what to do', (_, now, sentence) => {
  expect(breaks(now)).toEqual([
    sentence,
    'Plugins that work with Slipway 1.0.0 may need these. Bring them back, or set the version in package.json to 2.0.0 and name them in CHANGELOG.md.',
  ]);
});

it('counts lines that a declaration repeats', () => {
  const nested = (...names: string[]) => [
    'interface Pair {',
    ...names.flatMap((name) => [`${name}: {`, 'id: string;', '};']),
    '}',
  ];
  const released = { version: '1.0.0', declarations: apiOf(page(...nested('first', 'second'))) };
  const now = nested('first', 'second').toSpliced(5, 1);
  const [sentence] = breaksSince(released, apiOf(page(...now)), '1.2.0');
  expect(sentence).toBe('Pair of slipway/plugin no longer has: id: string;');
});

it('allows all of that in the next major version, or minor version while the major is zero', () => {
  expect(breaks(THING, '2.0.0')).toEqual([]);
  expect(breaks(THING, '0.2.0', '0.1.3')).toEqual([]);
  expect(breaks(THING, '1.0.0', '0.1.3')).toEqual([]);
  expect(breaks(THING, '0.1.4', '0.1.3').at(-1)).toContain('to 0.2.0 and');
});

it('lets a type become an export, and no export a mere type', () => {
  const others = ['# What plugins can use', '## Types that these use', '```ts', LIMIT, '```'].join('\n');
  const ofTypes = { version: '1.0.0', declarations: apiOf(others) };
  expect(breaksSince(ofTypes, apiOf(page(LIMIT)), '1.1.0')).toEqual([]);
  expect(breaksSince({ version: '1.0.0', declarations: apiOf(page(LIMIT)) }, apiOf(others), '1.1.0')[0]).toBe(
    'LIMIT of slipway/plugin was removed.',
  );
});
