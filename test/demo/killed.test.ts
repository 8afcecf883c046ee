import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { details, list } from '../sessions/make.js';
import { administratorOf, type Tenant } from '../support/actors.js';
import { Client } from '../support/client.js';
import { createDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { environmentFor, MAIN, startProcess } from '../support/process.js';
import type { Target } from '../support/service.js';
import { settingsFor, type SettingsOfTest } from '../support/settings.js';
import { TestDatabase } from '../support/test-database.js';

async function newSettings(): Promise<SettingsOfTest> {
  return { ...settingsFor(await createDatabase()), SLIPWAY_DEMO: '1', LOG_LEVEL: 'warn' };
}

const fileOf = ({ DATA_DIR }: SettingsOfTest) => join(DATA_DIR!, 'demo.json');

type Demo = Omit<Tenant, 'key' | 'api'> & { apiKey: string };

const demoIn = (settings: SettingsOfTest) => JSON.parse(readFileSync(fileOf(settings), 'utf8')) as Demo;

async function projectsOf(target: Target): Promise<unknown[]> {
  return (await administratorOf(target).get<{ data: { projectId: string }[] }>('/api/admin/v1/projects')).body.data;
}

/** Checks that there is one demo, whose key is in its file. */
async function expectOneDemo(target: Target, settings: SettingsOfTest): Promise<void> {
  const { projectId, apiKey } = demoIn(settings);
  expect(await projectsOf(target)).toEqual([expect.objectContaining({ projectId, name: 'Demo' })]);
  expect((await Client.withKey(target, apiKey).get('/api/public/me')).outcome).toBe('200');
}

/** Starts a process that makes the demo, and kills it when it waits for the lock of this table. */
async function killAt(table: string, settings: SettingsOfTest): Promise<void> {
  const database = new TestDatabase(settings.DATABASE_URL!);
  const lock = await database.openTransaction(`lock table ${table}`);
  const child = spawn(process.execPath, [MAIN], { env: environmentFor(settings), stdio: 'ignore' });
  const exited = once(child, 'exit');
  await eventually(
    () => database.rows(`select from pg_locks where relation = '${table}'::regclass and not granted`),
    (waiting) => waiting.length > 0,
    60_000,
  );
  child.kill('SIGKILL');
  await exited;
  await lock.commit();
  await database.end();
}

describe('a process that is killed', () => {
  it.each(['app', 'api_key', 'tool', 'webhook_subscription', 'job'])(
    'while it makes the %s of the demo leaves none, and the next start makes one',
    async (table) => {
      const settings = await newSettings();
      await killAt(table, settings);
      expect(existsSync(fileOf(settings))).toBe(false);
      const next = await startProcess(settings);
      await expectOneDemo(next, settings);
      await next.kill();
    },
  );

  it('before it commits the demo leaves a file that the next start replaces', async () => {
    const settings = await newSettings();
    const first = await startProcess(settings);
    const written = readFileSync(fileOf(settings), 'utf8');
    await first.kill();
    const other = { ...settings, ...(await newSettings()), DATA_DIR: settings.DATA_DIR! };
    const next = await startProcess(other);
    expect(readFileSync(fileOf(settings), 'utf8')).not.toBe(written);
    await expectOneDemo(next, other);
    await next.kill();
  });

  it('before the first conversation lets the next process have it', async () => {
    const settings = await newSettings();
    const first = await startProcess({ ...settings, SLIPWAY_ROLE: 'api' });
    await first.kill();
    const next = await startProcess(settings);
    const { apiKey, ...made } = demoIn(settings);
    const demo = { ...made, key: apiKey, api: Client.withKey(next, apiKey) };
    await eventually(
      async () => {
        const { sessions } = (await list(demo)).body;
        return Promise.all(
          sessions.map(async ({ session_id: id }) => (await details(demo, id)).body.sessions[0]!.totals.turns),
        );
      },
      ([turns]) => turns === 2,
    );
    await next.kill();
  });
});

it('processes that start in the same moment make one demo', async () => {
  const settings = await newSettings();
  const [first, second] = await Promise.all([startProcess(settings), startProcess(settings)]);
  await expectOneDemo(first, settings);
  await Promise.all([first.kill(), second.kill()]);
});

it.each(['{"projectId', '{"projectId":5}', 'null', '{}'])('a file with %s is refused with a sentence', async (text) => {
  const settings = await newSettings();
  mkdirSync(settings.DATA_DIR!, { recursive: true });
  writeFileSync(fileOf(settings), text);
  const message = await startProcess(settings).then(
    () => 'It started.',
    (error: Error) => error.message,
  );
  expect(message).toContain('demo.json does not describe a demo. Remove it, and the next start makes a new one.');
  expect(message).not.toContain('Exception');
});
