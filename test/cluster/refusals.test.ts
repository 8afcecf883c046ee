import { spawnSync } from 'node:child_process';
import { inProject } from '../../scripts/project.mjs';
import { createEmptyDatabase } from '../support/database.js';
import { distribute } from './command.js';

it.each<[refused: string, args: () => string[] | Promise<string[]>, reason: string]>([
  ['no database', () => [], 'Set DATABASE_URL, or give --database.'],
  ['shards that are no number', () => ['--database', 'postgresql://127.0.0.1:1/x', '--shards', 'many'], '--shards'],
  ['a database that is away', () => ['--database', 'postgresql://127.0.0.1:1/x'], 'The database does not answer'],
  ['PostgreSQL without Citus', async () => ['--database', await createEmptyDatabase()], 'has no extension citus'],
])('distributing refuses %s, with the reason', async (_, args, reason) => {
  const { status, output } = distribute(...(await args()));
  expect(status).toBe(1);
  expect(output).toContain(reason);
  expect(output).not.toContain('    at ');
});

const testCluster = (...args: string[]) =>
  spawnSync(process.execPath, [inProject('test', 'cluster', 'run.mjs'), ...args], { encoding: 'utf8' });

it.each([['--citus'], ['--citus='], ['--citsu=postgresql://127.0.0.1/x']])(
  'the tests of a cluster refuse %s',
  (...args) => {
    expect(testCluster(...args).status).toBe(1);
  },
);

it('the tests of a cluster say that they are skipped if there is none', () => {
  const { status, stdout } = testCluster();
  expect(status).toBe(0);
  expect(stdout).toContain('were skipped, because no cluster was given');
});
