import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { makeTenant } from '../support/actors.js';
import { Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { randomFrom } from '../faults/task-service.js';
import { complete, open, progressOf, sendChunk, startedUpload, upload } from './files.js';
import { KilledService } from './killed-service.js';

const SEEDS = Array.from({ length: 20 }, (_, at) => at + 1);
const CHUNKS = 12;
const CHUNK_BYTES = 512 * 1024;

const killed = await KilledService.make();
afterAll(() => killed.stop());

const sha = (content: Uint8Array) => createHash('sha256').update(content).digest('hex');

/** Repeats a request until it is answered, because a killed process does not answer. */
async function answered<T extends { status: number }>(ask: () => Promise<T>): Promise<T> {
  return eventually(
    () => ask().catch(() => undefined),
    (answer) => answer !== undefined && answer.status < 500,
  ) as Promise<T>;
}

it.each(SEEDS)('an upload whose process is killed continues where it was, or is complete (seed %s)', async (seed) => {
  const random = randomFrom(seed);
  let service = await killed.running();
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
  await killed.kill();
  await Promise.allSettled([sending, single]);
  service = await killed.running();

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
  await killed.untilSwept();
});
