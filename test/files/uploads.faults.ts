import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { makeTenant } from '../support/actors.js';
import { Client } from '../support/client.js';
import { createDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { type ServiceProcess, startProcess } from '../support/process.js';
import { settingsFor } from '../support/settings.js';
import { TestDatabase } from '../support/test-database.js';
import { randomFrom } from '../faults/task-service.js';
import { complete, open, progressOf, sendChunk, startedUpload, upload } from './files.js';
import { Store } from './store.js';

const SEEDS = Array.from({ length: 20 }, (_, at) => at + 1);
const CHUNKS = 12;
const CHUNK_BYTES = 512 * 1024;

const settings = settingsFor(await createDatabase());
const database = new TestDatabase(settings.DATABASE_URL!);
const store = new Store(settings, database);
let service: ServiceProcess;
afterAll(async () => {
  await service.kill();
  await database.end();
});

const sha = (content: Uint8Array) => createHash('sha256').update(content).digest('hex');

/** Repeats a request until it is answered, because a killed process does not answer. */
async function answered<T extends { status: number }>(ask: () => Promise<T>): Promise<T> {
  return eventually(
    () => ask().catch(() => undefined),
    (answer) => answer !== undefined && answer.status < 500,
  ) as Promise<T>;
}

/** Makes all unkept objects due, and the sweep that removes them. */
async function sweepNow(): Promise<void> {
  await database.rows('update unkept_object set due_at = now()');
  await database.rows(`update job set run_at = now() where name = 'storage.sweep' and state = 'queued'`);
}

it.each(SEEDS)('an upload whose process is killed continues where it was, or is complete (seed %s)', async (seed) => {
  const random = randomFrom(seed);
  service ??= await startProcess(settings);
  const { key } = await makeTenant(service);
  const api = () => Client.withKey(service, key);
  const content = Buffer.alloc(CHUNKS * CHUNK_BYTES, `seed ${seed} `);
  const chunk = (number: number) => content.subarray(number * CHUNK_BYTES, (number + 1) * CHUNK_BYTES);
  const sessionId = await startedUpload(api(), {
    fileExtension: 'bin',
    fileSize: content.length,
    totalChunks: CHUNKS,
  });

  const acknowledged = new Set<number>();
  const sending = Promise.all(
    Array.from({ length: CHUNKS }, async (_, number) => {
      await wait(random() * 150);
      const { status } = await sendChunk(api(), sessionId, number, chunk(number));
      if (status === 200) acknowledged.add(number);
    }),
  ).then(() => complete(api(), sessionId));
  sending.catch(() => undefined);
  const single = upload(api(), { name: 'single.bin', content }).catch(() => undefined);
  await wait(random() * 250);
  await service.kill();
  await Promise.allSettled([sending, single]);
  service = await startProcess(settings);

  const { body: progress } = await answered(() => progressOf(api(), sessionId));
  expect(progress.receivedChunks).toEqual(expect.arrayContaining([...acknowledged]));
  for (const number of progress.missingChunks) {
    expect((await answered(() => sendChunk(api(), sessionId, number, chunk(number)))).outcome).toBe('200');
  }
  const done = await answered(() => complete(api(), sessionId));
  expect(done.outcome).toBe('200');
  expect(sha((await open(done.body.url)).bytes)).toBe(sha(content));

  const stored = await single;
  if (stored) {
    const { body } = await answered(() => api().get<{ url: string }>(`/api/public/files/${stored.body.fileId}`));
    expect(sha((await open(body.url)).bytes)).toBe(sha(content));
  }
  await eventually(async () => {
    await sweepNow();
    return (await store.unkept()).length === 0;
  });
  await store.untilNothingIsLeft();
});
