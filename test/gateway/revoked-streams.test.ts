import { makeKeyWith, makeTenant, revoke } from '../support/actors.js';
import { ModelDouble } from '../support/providers/model-double.js';
import { startService } from '../support/service.js';
import { COMPLETIONS, connectTo, ledgerOf } from './calls.js';

const double = await ModelDouble.start();
const service = await startService();
const tenant = await makeTenant(service);
afterAll(async () => {
  await service.stop();
  await double.stop();
});

it('the service cuts a stream whose key is revoked, and the call is in the ledger', async () => {
  const { key, keyId } = await makeKeyWith(service, tenant, ['RUN_API']);
  const model = await connectTo(tenant, double, 'halting');
  const response = await fetch(service.url + COMPLETIONS, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'Hello' }] }),
  });
  const reader = response.body!.getReader();
  await reader.read();
  expect((await revoke(service, tenant.appId, keyId)).outcome).toBe('200');
  const rest = async () => {
    for (;;) if ((await reader.read()).done) return 'ended as if it were whole';
  };
  await expect(rest()).rejects.toThrow();
  expect(await ledgerOf(tenant)).toMatchObject([{ status: 'failed', statusCode: 499 }]);
});
