import { setTimeout as wait } from 'node:timers/promises';
import * as tus from 'tus-js-client';
import { randomFrom } from '../faults/task-service.js';
import { makeTenant } from '../support/actors.js';
import { Client } from '../support/client.js';
import { createDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { type ServiceProcess, startProcess } from '../support/process.js';
import { settingsFor } from '../support/settings.js';
import { TestDatabase } from '../support/test-database.js';
import { type FileLink, FILES, open } from './files.js';
import { Store } from './store.js';
import { TUS_ROUTE } from './tus.js';

const SEEDS = Array.from({ length: 10 }, (_, at) => at + 1);
const MiB = 1024 * 1024;
const PART_BYTES = 8 * MiB;

const settings = settingsFor(await createDatabase());
const database = new TestDatabase(settings.DATABASE_URL!);
const store = new Store(settings, database);
let service: ServiceProcess;
afterAll(async () => {
  await service.kill();
  await database.end();
});

async function sweepNow(): Promise<void> {
  await database.rows('update unkept_object set due_at = now()');
  await database.rows(`update job set run_at = now() where name = 'storage.sweep' and state = 'queued'`);
}

it.each(SEEDS)(
  'tus-js-client completes a file in one request although the process is killed (seed %s)',
  async (seed) => {
    const random = randomFrom(seed);
    service ??= await startProcess(settings);
    const { key } = await makeTenant(service);
    const content = Buffer.alloc(60 * MiB, `seed ${seed} `);
    const resumedAt: number[] = [];
    let sentBefore = 0;

    const uploaded = new Promise<tus.OnSuccessPayload>((onSuccess, onError) =>
      new tus.Upload(content, {
        endpoint: service.url + TUS_ROUTE,
        headers: { 'x-api-key': key },
        metadata: { filename: 'large.bin' },
        retryDelays: Array.from({ length: 1000 }, () => 100),
        onAfterResponse: (request, response) => {
          if (request.getMethod() === 'HEAD' && response.getStatus() === 200)
            resumedAt.push(Number(response.getHeader('upload-offset')));
        },
        onProgress: (sent) => (sentBefore = sent),
        onSuccess,
        onError,
      }).start(),
    );
    uploaded.catch(() => undefined);
    await wait(random() * 1500);
    const sent = sentBefore;
    await service.kill();
    service = await startProcess({ ...settings, PORT: new URL(service.url).port });

    const { lastResponse } = await uploaded;
    // Only the part that was arriving is lost, and the bytes that were still in the sockets.
    for (const offset of resumedAt.slice(0, 1)) expect(offset).toBeGreaterThanOrEqual(sent - 2 * PART_BYTES);
    const fileId = lastResponse.getHeader('slipway-file-id')!;
    const { body } = await Client.withKey(service, key).get<FileLink>(`${FILES}/${fileId}`);
    expect((await open(body.url)).bytes.equals(content)).toBe(true);
    await eventually(async () => {
      await sweepNow();
      return (await store.unkept()).length === 0;
    });
    await store.untilNothingIsLeft();
  },
);
