import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { EntityClass } from '@mikro-orm/postgresql';
import { type RowOf, columnsOf } from '../../src/platform/database/columns.js';
import type { Ask } from '../../src/platform/database/reads.js';
import type { Statement } from '../../src/platform/database/statement.js';

/** Statements with example arguments, by `Repository.method (case)`. Their rendered text is in `docs/sql`. */
export type Examples = Record<string, Statement<unknown>>;

const TESTS = fileURLToPath(new URL('..', import.meta.url));

/**
 * Returns the examples of a repository, whose methods make statements without a database. The name has a `(case)` if
 * there are several.
 */
export function examplesOf<Repository extends object>(
  repository: abstract new (...given: never[]) => Repository,
  make: (repository: Repository) => Examples,
): Examples {
  const made = make(Object.create(repository.prototype as object) as Repository);
  return Object.fromEntries(Object.entries(made).map(([name, statement]) => [`${repository.name}.${name}`, statement]));
}

/** Makes a row for statements whose text does not depend on its values. */
export function exampleRow<Entity extends object>(entity: EntityClass<Entity>): RowOf<Entity> {
  const { text } = columnsOf(entity).toQuery();
  const names = [...text.matchAll(/ as "(\w+)"/g)].map(([, name]) => name!);
  return Object.fromEntries(names.map((name) => [name, name])) as unknown as RowOf<Entity>;
}

/**
 * Returns the statements of work in which one statement follows from the answer to another. `answers` has the rows of
 * each.
 */
export async function asked(work: (ask: Ask) => Promise<unknown>, ...answers: object[][]) {
  const statements: Statement<unknown>[] = [];
  const ask: Ask = (statement) => {
    statements.push(statement);
    return Promise.resolve(statement.read(answers[statements.length - 1] ?? []));
  };
  await work(ask);
  return statements;
}

/** Collects all examples by the name of their file: `test/<module>/<module>.statements.ts`. */
export async function statementExamples(): Promise<Map<string, Examples>> {
  const paths = readdirSync(TESTS, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.statements.ts'),
  );
  const found = new Map<string, Examples>();
  for (const path of paths.sort()) {
    const { examples } = (await import(join(TESTS, path))) as { examples: Examples };
    found.set(basename(path, '.statements.ts'), examples);
  }
  return found;
}
