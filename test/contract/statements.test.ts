import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { statementExamples } from '../support/statement-examples.js';

const SOURCES = fileURLToPath(new URL('../../src', import.meta.url));
const GOLDEN = fileURLToPath(new URL('../../docs/sql', import.meta.url));

const CLASS = /^export class (\w+Repository)\b/m;
/** A signature is whole where a line ends with its answer; what is private begins with that word. */
const METHOD = /^ {2}(\w+)\([^]*?\): (.+) \{$/gm;
const FUNCTION = /^export function (\w+)\([^]*?\): (.+) \{$/gm;

/**
 * Whether the text of a statement depends on arguments cannot be seen from outside, so all that a repository answers with
 * a statement have an example, and so has each function beside them.
 */
function namesIn(source: string): string[] {
  const repository = CLASS.exec(source)?.[1];
  const answering = (pattern: RegExp) =>
    [...source.matchAll(pattern)].filter(([, , answer]) => answer!.startsWith('Statement<')).map(([, name]) => name!);
  return [
    ...(repository === undefined ? [] : answering(METHOD).map((name) => `${repository}.${name}`)),
    ...answering(FUNCTION),
  ];
}

function wanted(): string[] {
  return readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(repository|statements)\.ts$/.test(path))
    .flatMap((path) => namesIn(readFileSync(join(SOURCES, path), 'utf8')))
    .sort();
}

const examples = await statementExamples();
const titles = [...examples.values()].flatMap((of) => Object.keys(of));

it('has an example of every statement that a repository makes', () => {
  const known = titles.map((title) => title.replace(/ \(.*$/, ''));
  expect(wanted().filter((name) => !known.includes(name))).toEqual([]);
});

it('finds statements by their answers, wherever their signatures end', () => {
  const source = `
export class PlaceRepository extends EntityRepository<Place> {
  byId(id: string): Promise<Place | null> {
  }
  lock(
    id: string,
    wanted: { after: number },
  ): Statement<{ id: string } | null> {
    return this.one(id);
  }
  private one(id: string): Statement<Place | null> {
  }
}
export function free(): Statement<void> {
}
function inLine(): Statement<void> {
}`;
  expect(namesIn(source)).toEqual(['PlaceRepository.lock', 'free']);
});

it('has no two examples of one name, of which only one would be seen', () => {
  expect(new Set(titles).size).toBe(titles.length);
});

it('has no document of examples that are gone', () => {
  expect(readdirSync(GOLDEN).sort()).toEqual([...examples.keys()].map((name) => `${name}.sql`).sort());
});
