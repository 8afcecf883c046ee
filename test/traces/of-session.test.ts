import { makeTenant, type Tenant } from '../support/actors.js';
import { eventually } from '../support/eventually.js';
import { startService } from '../support/service.js';
import { openRequest } from '../support/wire.js';
import { details, makeSession } from '../sessions/make.js';
import { aSpan, CHAT, exportOf, sent } from './spans.js';

const service = await startService();
afterAll(() => service.stop());

async function makeTracedSession(tenant: Tenant): Promise<string> {
  const { sessionId } = await makeSession(tenant);
  await sent(tenant, exportOf([aSpan({ attributes: { ...CHAT, 'gen_ai.conversation.id': sessionId } })]));
  return sessionId;
}

const readsWaiting = async () =>
  (await service.database.waiting()).filter((query) => query.includes('from observation o')).length;

it('the service cancels the query of a client that leaves', async () => {
  const tenant = await makeTenant(service);
  const sessionId = await makeTracedSession(tenant);
  const held = await service.database.openTransaction('lock table observation in access exclusive mode');
  const path = `/api/public/apps/${tenant.appId}/sessions?session_id=${sessionId}`;
  const running = openRequest(service.url, { verb: 'GET', path, key: tenant.key, begin: '' });
  running.finish();
  await eventually(readsWaiting);
  running.abandon();
  await eventually(readsWaiting, (count) => count === 0, 1_500);
  await held.commit();
  expect((await details(tenant, sessionId)).outcome).toBe('200');
});

it('traces and their observations are read in one snapshot', async () => {
  const tenant = await makeTenant(service);
  const sessionId = await makeTracedSession(tenant);
  const held = await service.database.openTransaction(
    'do $$ begin lock table observation in access exclusive mode; delete from observation; end $$',
  );
  const reading = details(tenant, sessionId, { include: ['traces', 'observations'] });
  await eventually(readsWaiting);
  await held.commit();
  const { traces } = (await reading).body.sessions[0]!;
  expect(traces).toMatchObject([{ observations: [{ name: 'chat gpt-4o' }] }]);
});
