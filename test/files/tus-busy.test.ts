import * as tus from 'tus-js-client';
import { makeTenant } from '../support/actors.js';
import { whileOverloaded } from '../support/faults.js';
import { startService } from '../support/service.js';
import { createdTus, head, TUS_ROUTE } from './tus.js';

const MiB = 1024 * 1024;

const service = await startService();
const tenant = await makeTenant(service);
afterAll(() => service.stop());

it('HEAD is refused for a time with 423, after which clients ask again', async () => {
  const address = await createdTus(tenant.api);
  const answer = await whileOverloaded(service, tenant, () => head(tenant.api, address));
  expect(answer.outcome).toBe('423 OVERLOADED');
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await head(tenant.api, address)).outcome).toBe('200');
});

it('tus-js-client continues an upload after the service had no capacity for it', async () => {
  const content = Buffer.alloc(3 * MiB, 'busy ');
  const answers: string[] = [];
  const isRefused = Promise.withResolvers<void>();
  let refusing: Promise<void> | undefined;
  const { lastResponse } = await new Promise<tus.OnSuccessPayload>((onSuccess, onError) =>
    new tus.Upload(content, {
      endpoint: service.url + TUS_ROUTE,
      headers: { 'x-api-key': tenant.key },
      metadata: { filename: 'busy.bin' },
      chunkSize: MiB,
      retryDelays: Array.from({ length: 100 }, () => 50),
      onChunkComplete: () => void (refusing ??= whileOverloaded(service, tenant, () => isRefused.promise)),
      onAfterResponse: (request, response) => {
        answers.push(`${request.getMethod()} ${response.getStatus()}`);
        if (answers.filter((each) => each === 'HEAD 423').length === 3) isRefused.resolve();
      },
      onSuccess,
      onError,
    }).start(),
  );
  await refusing;
  expect(lastResponse.getHeader('slipway-file-id')).toMatch(/^f-/);
  expect(answers.filter((each) => each.startsWith('POST'))).toEqual(['POST 201']);
  expect(answers.filter((each) => each.startsWith('HEAD'))).toEqual(['HEAD 423', 'HEAD 423', 'HEAD 423', 'HEAD 200']);
});
