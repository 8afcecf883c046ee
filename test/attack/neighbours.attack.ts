import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FILES, upload } from '../files/files.js';
import { ask, COMPLETIONS, connectTo } from '../gateway/calls.js';
import { aCall, EVER, ledgerPath } from '../ledger/calls.js';
import { makeTenant, type Tenant } from '../support/actors.js';
import { openStream } from '../support/event-stream.js';
import { ModelDouble } from '../support/providers/model-double.js';
import { deployedTool, execute, flowOf, importTool } from '../tools/make.js';
import { report, startAttacked } from './attacked.js';
import { Crowd, type CrowdRequest } from './crowd.js';
import { Neighbour } from './neighbour.js';

/** The limit for a request of the neighbour during an attack. It usually takes some milliseconds. */
const MOST_MS = 1_000;
/** The limit for a request that computes or runs something. */
const MOST_WORK_MS = 3_000;

/** The requests that the mute server does not answer before the test lets it. */
const unanswered = new Set<ServerResponse>();
let isMute = true;
const mute = createServer((_, response) => void (isMute ? unanswered.add(response) : response.end('{}')));
await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
const muteUrl = `http://127.0.0.1:${(mute.address() as AddressInfo).port}/`;
const double = await ModelDouble.start();
const service = await startAttacked({ WORKER_SLOTS: '8' });
const noisy = await makeTenant(service);
const quiet = await makeTenant(service);
afterAll(async () => {
  await service.stop();
  await double.stop();
  mute.closeAllConnections();
  mute.close();
});
afterEach(() => service.expectLive());

const times = <T>(count: number, work: (at: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, at) => work(at)));
const crowd = (tenant: Tenant, count: number, request: CrowdRequest) =>
  new Crowd(
    service,
    tenant,
    Array.from({ length: count }, () => request),
  );
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const script = (code: string, timeoutMs = 5_000) => flowOf([{ id: 'work', type: 'script', code, timeoutMs }]);
const execution = (tenant: Tenant, toolId: string) => new Neighbour(() => execute(tenant, toolId));

it('slots: jobs of the quiet project run while the noisy one has hundreds that wait for a mute server', async () => {
  const flow = flowOf([{ id: 'ask', type: 'http', url: muteUrl, method: 'GET', timeoutMs: 60_000 }]);
  const waiting = await deployedTool(noisy, { flow });
  const imports = new Neighbour(async () => {
    expect((await importTool(quiet)).status).toBe('SUCCESS');
    return quiet.api.get('/api/public/me');
  });
  await imports.waitsLessThan(MOST_WORK_MS, 'Slots', async () => {
    await times(200, () => execute(noisy, waiting, {}, { isAsync: true }));
    await wait(5_000);
    isMute = false;
    for (const response of unanswered) response.end('{}');
  });
});

it('threads: scripts of the quiet project run while those of the noisy one never end', async () => {
  const endless = await deployedTool(noisy, { flow: script('for (;;);') });
  const short = await deployedTool(quiet, { flow: script('return 1;') });
  await execution(quiet, short).waitsLessThan(MOST_WORK_MS, 'Threads', () => times(40, () => execute(noisy, endless)));
});

it('connections: models of the quiet project answer while those of the noisy one do not', async () => {
  const model = await connectTo(noisy, double, 'silent');
  const good = await connectTo(quiet, double);
  const body = Buffer.from(JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }));
  await new Neighbour(() => ask(quiet, good)).waitsLessThan(MOST_MS, 'Connections', async () => {
    const calls = crowd(noisy, 300, { method: 'POST', path: COMPLETIONS, body });
    await wait(4_000);
    calls.leave();
    await calls.outcomes();
  });
});

it('streams: the quiet project opens its streams while the noisy one requests as many as it can', async () => {
  const halting = await connectTo(noisy, double, 'halting');
  const mine = await connectTo(quiet, double);
  const chat = (model: string) => ({ model, stream: true, messages: [{ role: 'user', content: 'Hello' }] });
  const follow = new Neighbour(() => quiet.api.post(COMPLETIONS, chat(mine)));
  await follow.waitsLessThan(MOST_MS, 'Streams', async () => {
    const opened = await times(300, () =>
      openStream(service, { key: noisy.key, path: COMPLETIONS, body: chat(halting) }),
    );
    const open = opened.filter((stream) => 'close' in stream);
    report('Streams that the noisy one got', `${open.length} of ${opened.length}`);
    expect(open.length).toBeLessThan(opened.length);
    await Promise.all(open.map((stream) => stream.close()));
  });
});

it('memory: the quiet project is served while the noisy one sends the largest bodies, and larger ones', async () => {
  const generations = Array.from({ length: 500 }, () => aCall({ name: 'x'.repeat(1_000) }));
  const large = Buffer.from(JSON.stringify({ generations }));
  const tooLarge = Buffer.from(JSON.stringify({ connectionName: 'x'.repeat(8 * 2 ** 20) }));
  await Neighbour.withKey(service, quiet.key).waitsLessThan(MOST_MS, 'Memory', async () => {
    for (let round = 0; round < 5; round += 1) {
      await crowd(noisy, 20, { method: 'POST', path: ledgerPath(noisy.projectId), body: large }).outcomes();
      await crowd(noisy, 20, { method: 'POST', path: '/api/public/connections', body: tooLarge }).outcomes();
    }
  });
});

it('large bodies: the quiet project is served while the noisy one sends chats and batches of many megabytes', async () => {
  // Its own project, because what it writes would make the exports of the other attacks larger.
  const writer = await makeTenant(service);
  const messages = Array.from({ length: 60_000 }, () => ({ role: 'user', content: 'x'.repeat(280) }));
  const chat = Buffer.from(JSON.stringify({ model: 'mock', messages }));
  const batch = (round: number) => {
    const request = { model: 'm', messages: [{ role: 'user', content: 'y'.repeat(1_200) }] };
    const row = (at: number) => aCall({ callId: `${round} ${at}`, payload: { request, response: { text: 'z' } } });
    return Buffer.from(JSON.stringify({ generations: Array.from({ length: 9_000 }, (_, at) => row(at)) }));
  };
  const batches = [1, 2, 3].map((round) => ({
    method: 'POST',
    path: ledgerPath(writer.projectId),
    body: batch(round),
  }));
  await Neighbour.withKey(service, quiet.key).waitsLessThan(MOST_MS, 'Large bodies', async () => {
    await crowd(writer, 3, { method: 'POST', path: COMPLETIONS, body: chat }).outcomes();
    await new Crowd(service, writer, batches).outcomes();
  });
});

it('keys: the quiet project is answered while one key of the noisy one is sent by hundreds of clients', async () => {
  await Neighbour.withKey(service, quiet.key).waitsLessThan(MOST_MS, 'Keys', async () => {
    const outcomes = await crowd(noisy, 700, { path: '/api/public/me' }).outcomes();
    expect(outcomes.filter((outcome) => outcome.startsWith('500'))).toEqual([]);
  });
});

/** Returns an encoded upload, which many clients send. */
function multipart(content: string) {
  const field = (name: string, text: string) => `--x\r\ncontent-disposition: form-data; ${name}\r\n\r\n${text}\r\n`;
  const text = field('name="fileContext"', 'bulkImport') + field('name="file"; filename="a.txt"', content);
  return { body: Buffer.from(`${text}--x--\r\n`), headers: { 'content-type': 'multipart/form-data; boundary=x' } };
}

it('disk: the quiet project stores its files while the noisy one has no room left', async () => {
  const mine = new Neighbour(() => upload(quiet.api));
  await mine.waitsLessThan(MOST_MS, 'Disk', async () => {
    const form = multipart('a'.repeat(4 * 2 ** 20));
    const stored = await crowd(noisy, 40, { method: 'POST', path: FILES, ...form }).outcomes();
    expect(new Set(stored)).toEqual(new Set(['201']));
    // The project appears to have used all of its storage.
    await service.database.rows(
      `insert into project_storage values ($1, $2) on conflict (project_id) do update set bytes = excluded.bytes`,
      [noisy.projectId, Number.MAX_SAFE_INTEGER],
    );
    const refused = await times(20, () => upload(noisy.api));
    expect(new Set(refused.map(({ outcome }) => outcome))).toEqual(new Set(['507 PROJECT_STORAGE_FULL']));
  });
});

it('database connections: the quiet project is answered while the noisy one requests everything at once', async () => {
  const generations = Array.from({ length: 9_000 }, () => aCall());
  expect((await noisy.api.post(ledgerPath(noisy.projectId), { generations })).outcome).toBe('201');
  const path = ledgerPath(noisy.projectId);
  await Neighbour.withKey(service, quiet.key).waitsLessThan(MOST_MS, 'Database connections', async () => {
    const query = new URLSearchParams(EVER).toString();
    const paths = ['/export.csv', '/export.ndjson', '/summary', ''].map((end) => `${path}${end}?${query}`);
    const requests = Array.from({ length: 100 }, (_, at) => ({ path: paths[at % 4]! }));
    for (let round = 0; round < 3; round += 1) await new Crowd(service, noisy, requests).outcomes();
  });
});
