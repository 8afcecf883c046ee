import { MikroORM } from '@mikro-orm/postgresql';
import { Call } from '../../src/modules/ledger/call.entity.js';
import { CallPayload } from '../../src/modules/ledger/call-payload.entity.js';
import type { Id } from '../../src/kernel/ids.js';
import { makeTenant } from '../support/actors.js';
import { startService } from '../support/service.js';
import { aCall, at, read, written } from './calls.js';

const service = await startService();
afterAll(() => service.stop());

const SAID = { response: { text: 'Hello' } };

it('calls are found through the ORM, with their payloads', async () => {
  const tenant = await makeTenant(service);
  const silent = aCall({ timestamp: at(1), callId: 'silent', sessionId: 'chat-1' });
  await written(tenant, silent, { ...silent, timestamp: at(2), callId: 'telling', cost: 0.25, payload: SAID });
  const ids = (await read(tenant)).body.generations.map(({ id }) => id);

  const em = service.app.get(MikroORM).em.fork();
  const calls = await em.find(
    Call,
    { project: tenant.projectId as Id<'project'>, sessionId: 'chat-1' },
    { orderBy: { time: 'asc' }, populate: ['payload'] },
  );
  expect(calls.map(({ id }) => id)).toEqual(ids);
  expect(calls.map(({ time }) => time.toISOString())).toEqual([at(1), at(2)]);
  expect(calls[0]!.payload).toBeNull();
  expect(calls[1]).toMatchObject({ cost: 0.25, pricing: 'o' });
  expect(JSON.parse(calls[1]!.payload!.payload)).toMatchObject(SAID);

  const { project, time, number } = calls[1]!;
  await expect(em.fork().findOneOrFail(Call, { project, time, number })).resolves.toMatchObject({ id: ids[1] });
  const payload = await em.fork().findOneOrFail(CallPayload, { call: { project } }, { populate: ['call'] });
  expect(payload.call.id).toBe(ids[1]);
});
