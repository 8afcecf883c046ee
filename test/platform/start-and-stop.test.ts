import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { administratorOf, makeTenant } from '../support/actors.js';
import { Client } from '../support/client.js';
import { createDatabase, createEmptyDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { environmentFor, MAIN, startProcess } from '../support/process.js';
import { untilUsed } from '../support/running.js';
import { randomSecret, settingsFor, type SettingsOfTest } from '../support/settings.js';
import { TestDatabase } from '../support/test-database.js';
import { openRequest } from '../support/wire.js';

/** Runs the service until it ends by itself. */
async function runToEnd(settings: SettingsOfTest): Promise<{ code: number; output: string }> {
  const child = spawn(process.execPath, [MAIN], { env: environmentFor(settings), stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (output += data.toString()));
  const [code] = (await once(child, 'close')) as [number];
  return { code, output };
}

describe('a process that cannot start', () => {
  it('names every bad setting, none of their values, and ends', async () => {
    const { code, output } = await runToEnd({ PORT: 'high', LOG_LEVEL: 'loud', SLIPWAY_PEPPER: 'canary' });
    expect(code).toBe(1);
    for (const name of ['DATABASE_URL', 'REDIS_URL', 'PORT', 'LOG_LEVEL', 'SLIPWAY_PEPPER'])
      expect(output).toContain(name);
    expect(output).not.toContain('canary');
    expect(output).not.toMatch(/^\s+at /m);
    expect(JSON.parse(output)).toMatchObject({ level: 'fatal', msg: expect.stringContaining('PORT') as string });
  });

  it('says when another program has its port', async () => {
    const settings = settingsFor(await createDatabase());
    const first = await startProcess(settings);
    const { code, output } = await runToEnd({ ...settings, PORT: new URL(first.url).port });
    await first.kill();
    expect(code).toBe(1);
    expect(output).toMatch(/PORT/);
  });
});

describe('a process that receives a stop signal', () => {
  it('finishes what it has begun and then exits with 0', async () => {
    const settings = settingsFor(await createDatabase());
    const service = await startProcess(settings);
    const database = new TestDatabase(settings.DATABASE_URL!);
    const { key, keyId, appId, scopeName } = await makeTenant(service);
    const body = JSON.stringify({ scope_name: scopeName, api_key_name: 'made while stopping' });
    const path = `/aaa/api/public/apps/${appId}/apikeys/create`;
    const running = openRequest(service.url, { verb: 'POST', path, key, begin: body.slice(0, 9) });
    await untilUsed(database, keyId);

    const stopped = service.stop();
    await expectClosed(service.url);
    running.finish(body.slice(9));
    expect((await running.answer).outcome).toBe('201');
    expect(await stopped).toEqual({ code: 0, signal: null });
    await database.end();
  });

  it('still answers for a while, is not ready, and closes the connections of its clients', async () => {
    const settings = { ...settingsFor(await createDatabase()), STOP_DELAY_SECONDS: '2' };
    const service = await startProcess(settings);
    const client = new Client(service.url);
    const stopped = service.stop();
    const ready = await eventually(
      () => client.get('/health/ready'),
      ({ outcome }) => outcome !== '200',
    );
    expect(ready).toMatchObject({
      outcome: '503 NOT_READY',
      body: { error: { details: { checks: { process: { status: 'down', message: 'is stopping' } } } } },
    });
    expect((await client.get('/health/live')).outcome).toBe('503 NOT_READY');
    const still = await client.get('/nowhere');
    expect(still.outcome).toBe('404 ROUTE_NOT_FOUND');
    expect(still.headers.get('connection')).toBe('close');
    expect(await stopped).toEqual({ code: 0, signal: null });
  });

  it('does not wait for clients that keep their connection open', async () => {
    const service = await startProcess(settingsFor(await createDatabase()));
    const client = new Client(service.url);
    await Promise.all(Array.from({ length: 10 }, () => client.get('/health/live')));
    const begun = performance.now();
    expect(await service.stop()).toEqual({ code: 0, signal: null });
    expect(performance.now() - begun).toBeLessThan(3_000);
  });
});

it('lets any number of processes start at once on a new database', async () => {
  const settings = settingsFor(await createEmptyDatabase());
  const processes = await Promise.all(Array.from({ length: 3 }, () => startProcess(settings)));
  // The demo is made only on demand, so no process makes it here.
  expect((await administratorOf(processes[0]!).get('/api/admin/v1/projects')).body).toMatchObject({ data: [] });
  const { key } = await makeTenant(processes[0]!);
  for (const target of processes) {
    expect((await Client.withKey(target, key).get('/api/public/me')).outcome).toBe('200');
    expect((await new Client(target.url).get('/health/ready')).outcome).toBe('200');
  }
  await Promise.all(processes.map((process) => process.kill()));
});

describe('the demo', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'slipway-demo-'));
  const file = join(dataDir, 'demo.json');
  const readDemo = () => JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

  it('writes its keys once, into a private file and never into the log', async () => {
    const settings = {
      ...settingsFor(await createDatabase()),
      SLIPWAY_DEMO: '1',
      DATA_DIR: dataDir,
      LOG_LEVEL: 'trace',
    };
    const first = await startProcess(settings);
    const demo = readDemo();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const me = await Client.withKey(first, demo.apiKey!).get('/api/public/me');
    expect(me).toMatchObject({ outcome: '200', body: { key_id: demo.keyId, app_id: demo.appId } });
    expect(first.output()).not.toContain(demo.apiKey!.slice(5, 25));
    await first.kill();

    const second = await startProcess(settings);
    expect(readDemo()).toEqual(demo);
    const { body } = await administratorOf(second).get<{ data: unknown[] }>('/api/admin/v1/projects');
    expect(body.data).toHaveLength(1);
    await second.kill();
  });

  it('is made again for a database that does not have it', async () => {
    const demo = readDemo();
    const settings = { ...settingsFor(await createDatabase()), SLIPWAY_DEMO: '1', DATA_DIR: dataDir };
    const service = await startProcess(settings);
    expect(readDemo().projectId).not.toBe(demo.projectId);
    expect((await Client.withKey(service, readDemo().apiKey!).get('/api/public/me')).outcome).toBe('200');
    await service.kill();
  });
});

describe('a pepper', () => {
  it('is part of every key: with another one, no key is valid', async () => {
    const settings = settingsFor(await createDatabase());
    const first = await startProcess(settings);
    const { key } = await makeTenant(first);
    const other = await startProcess({ ...settings, SLIPWAY_PEPPER: randomSecret() });
    expect((await Client.withKey(other, key).get('/api/public/me')).outcome).toBe('401 API_KEY_INVALID');
    await Promise.all([first.kill(), other.kill()]);
  });
});

/** Waits until no process listens there any more. */
async function expectClosed(url: string): Promise<void> {
  await eventually(() =>
    fetch(`${url}/health/live`).then(
      () => false,
      () => true,
    ),
  );
}
