import { ledgerOf } from '../gateway/calls.js';
import { makeTenant } from '../support/actors.js';
import { startService } from '../support/service.js';
import { makeActiveAgent, say } from './make.js';

const service = await startService();
afterAll(() => service.stop());

it('answers a message in a new session, with a call in the ledger and a trace', async () => {
  const tenant = await makeTenant(service);
  await makeActiveAgent(service, tenant, { welcomeMessage: 'Good day!' });
  const { outcome, body } = await say(tenant, 'order-1', 'Where is it?');
  expect(outcome).toBe('200');
  expect(body).toMatchObject({
    status: 'completed',
    output: [{ type: 'text', content: '[mock] You said: Where is it?' }],
    events: [{ name: 'Welcome_Event', content: { messageToUser: 'Good day!' } }],
    usage: { calls: 1, toolCalls: 0 },
    session: { sessionReference: 'order-1', status: 'idle' },
  });
  const [call, ...others] = await ledgerOf(tenant);
  expect(others).toEqual([]);
  expect(call).toMatchObject({ traceId: body.traceId, sessionId: body.session.sessionId, model: 'mock' });
});
