import { setTimeout as wait } from 'node:timers/promises';
import * as tus from 'tus-js-client';
import { randomFrom } from '../faults/task-service.js';
import { makeTenant } from '../support/actors.js';
import { Client } from '../support/client.js';
import { type FileLink, FILES, open } from './files.js';
import { KilledService } from './killed-service.js';
import { TUS_ROUTE } from './tus.js';

const SEEDS = Array.from({ length: 10 }, (_, at) => at + 1);
const MiB = 1024 * 1024;
const PART_BYTES = 8 * MiB;

const killed = await KilledService.make();
afterAll(() => killed.stop());

it.each(SEEDS)(
  'tus-js-client completes a file in one request although the process is killed (seed %s)',
  async (seed) => {
    const random = randomFrom(seed);
    let service = await killed.running();
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
    await killed.kill();
    service = await killed.running();

    const { lastResponse } = await uploaded;
    // Only the part that was arriving is lost, and the bytes that were still in the sockets.
    for (const offset of resumedAt.slice(0, 1)) expect(offset).toBeGreaterThanOrEqual(sent - 2 * PART_BYTES);
    const fileId = lastResponse.getHeader('slipway-file-id')!;
    const { body } = await Client.withKey(service, key).get<FileLink>(`${FILES}/${fileId}`);
    expect((await open(body.url)).bytes.equals(content)).toBe(true);
    await killed.untilSwept();
  },
);
