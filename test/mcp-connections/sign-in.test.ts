import { UserTokens } from '../../src/modules/agents/sign-in/user-tokens.service.js';
import { Database } from '../../src/platform/database/database.js';
import { makeProfile } from '../agents/sign-in.js';
import { makeActiveAgent, say } from '../agents/make.js';
import { details } from '../sessions/make.js';
import { makeTenant } from '../support/actors.js';
import { startService } from '../support/service.js';
import { makeMcpConnection } from './make.js';
import { McpDouble } from './mcp-double.js';

const service = await startService();
const double = await McpDouble.start();
afterAll(async () => {
  await service.stop();
  await double.stop();
});

it('a server gets the token of the user who has signed in, and nothing from a user who has not', async () => {
  const tenant = await makeTenant(service);
  const { profileId } = (await makeProfile(service, tenant, { idpName: 'Login' })).body.data;
  const connection = { url: double.url, name: 'Tracker', authProfile: 'Login' };
  const { mcpConnectionId } = await makeMcpConnection(service, tenant, connection);
  await makeActiveAgent(service, tenant, { mcpConnectionIds: [mcpConnectionId] });

  const { body: before } = await say(tenant, 'one', 'Ask tell_headers');
  expect(before).toMatchObject({ status: 'completed', usage: { toolCalls: 0 } });
  expect(double.received).toEqual([]);
  const shown = await details(tenant, before.session.sessionId, { include: ['traces', 'observations'] });
  expect(shown.text).toContain('MCP_SIGN_IN_REQUIRED: The tools need the user’s authorization for Login');

  const [run] = await service.database.rows<{ userId: string }>('select user_id as "userId" from run where id = $1', [
    before.runId,
  ]);
  const tokens = { accessToken: 'canary-of-a-user-token', refreshToken: null, expiresAt: null };
  const key = { profileId, userId: run!.userId } as Parameters<UserTokens['keep']>[0];
  await service.app.get(Database).ask(service.app.get(UserTokens).keep(key, tokens));

  const { body: after, text } = await say(tenant, 'one', 'Ask tell_headers');
  expect(after).toMatchObject({ status: 'completed', usage: { toolCalls: 1 } });
  expect(double.received.every(({ headers }) => headers.authorization === 'Bearer canary-of-a-user-token')).toBe(true);
  expect(text).toContain('authorization');
  expect(text).not.toContain('canary-of-a-user-token');
});
