import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LockName } from '../../src/kernel/locks.js';
import { statementExamples } from '../support/statement-examples.js';

const SOURCES = fileURLToPath(new URL('../../src', import.meta.url));
const GOLDEN = fileURLToPath(new URL('../../docs/sql', import.meta.url));

const CLASS = /^export class (\w+Repository)\b/m;
/**
 * A signature ends with the line that has its result type. Private methods do not match, because they begin with
 * `private`.
 */
const METHOD = /^ {2}(\w+)\([^]*?\): (.+) \{$/gm;
const FUNCTION = /^export function (\w+)\([^]*?\): (.+) \{$/gm;

/**
 * Names all methods of a repository, and functions beside them, that return a statement. Each needs an example, because
 * only an example shows the text of its statement.
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

it('has an example of every statement of a repository', () => {
  const known = titles.map((title) => title.replace(/ \(.*$/, ''));
  expect(wanted().filter((name) => !known.includes(name))).toEqual([]);
});

it('finds statements by their result types, wherever their signatures end', () => {
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

/** The tables whose rows a lock is about. */
const LOCKED: Record<string, LockName> = {
  api_key: 'key',
  admin_key: 'key',
  jwt_client: 'key',
  dock_job: 'dockJob',
  tool: 'target',
  model: 'target',
  session: 'session',
  run: 'agentRun',
  tool_run: 'toolRun',
  job: 'job',
};

/** Statements that lock without a declaration, and why they may. */
const UNDECLARED: Record<string, string> = {
  'AgentRunRepository.addCall': 'Where it finds no run it locks nothing, and then the session is locked.',
  'oldRows (one period for all)': 'It skips rows that are locked, and so waits for nobody.',
};

/** The rows that a statement locks: it changes or deletes them, or selects them `for update` or `for share`. */
function locksIn(text: string): LockName[] {
  const changed = [...text.matchAll(/\b(?:update|delete from)\s+(\w+)/g)];
  const selected = [
    ...text.matchAll(/\bfrom (\w+)\b(?:(?!\bfrom\b)[^])*? for (?:no key )?(?:key )?(?:update|share)\b/g),
  ];
  return [...changed, ...selected].flatMap(([, table]) => LOCKED[table!] ?? []);
}

it.each([...examples.values()].flatMap((of) => Object.entries(of)))('declares the locks of %s', (title, statement) => {
  const undeclared = locksIn(statement.sql.toQuery().text).filter((lock) => !statement.locks.includes(lock));
  if (title in UNDECLARED) expect(undeclared).not.toEqual([]);
  else expect(undeclared).toEqual([]);
});

it('sees locks of rows that are changed, deleted or selected for it, and no others', () => {
  expect(locksIn('with live as (select id from session where id = $1 for share) insert into run from live')).toEqual([
    'session',
  ]);
  expect(locksIn('update job set state = $1 from chosen')).toEqual(['job']);
  expect(locksIn('delete from tool_run where id = $1')).toEqual(['toolRun']);
  expect(locksIn('select from session where id = $1')).toEqual([]);
});

it('has no two examples of one name, because only one would be documented', () => {
  expect(new Set(titles).size).toBe(titles.length);
});

it('has no document without examples', () => {
  expect(readdirSync(GOLDEN).sort()).toEqual([...examples.keys()].map((name) => `${name}.sql`).sort());
});
