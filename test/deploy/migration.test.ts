import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createEmptyDatabase } from '../support/database.js';
import { settingsFor, type SettingsOfTest } from '../support/settings.js';
import { TestDatabase } from '../support/test-database.js';
import { pathOf } from './queries.js';

/** Runs the program of the chart's hook to its end. */
async function migrate(settings: SettingsOfTest): Promise<{ code: number; output: string }> {
  const child = spawn(process.execPath, [pathOf('dist/bundle/migrate.js')], { env: settings, stdio: 'pipe' });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (output += data.toString()));
  const [code] = (await once(child, 'close')) as [number];
  return { code, output };
}

it('two migrations at once both end well, and migrate once', async () => {
  // A volume for files is not mounted into the pod of the hook.
  const databaseUrl = await createEmptyDatabase();
  const settings = { ...settingsFor(databaseUrl), STORAGE_URL: 'file:/files' };
  const ended = await Promise.all([migrate(settings), migrate(settings)]);
  expect(ended.map(({ code }) => code)).toEqual([0, 0]);
  const database = new TestDatabase(databaseUrl);
  const rows = await database.rows<{ count: number }>('select count(*)::int as count from project');
  expect(rows).toEqual([{ count: 0 }]);
});

it('a migration that cannot run says why, and stops the release', async () => {
  const { code, output } = await migrate({ LOG_LEVEL: 'loud' });
  expect(code).toBe(1);
  expect(output).toContain('DATABASE_URL');
  expect(output).not.toMatch(/^\s+at /m);
});
