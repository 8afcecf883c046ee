import { UserTokens } from '../../src/modules/agents/sign-in/user-tokens.service.js';
import { Database } from '../../src/platform/database/database.js';
import { startIdentityProvider } from '../agents/identity-provider.js';
import { makeActiveAgent, type RunBody, runsPath, say } from '../agents/make.js';
import { goToProvider, makeProfile } from '../agents/sign-in.js';
import { create, details, user } from '../sessions/make.js';
import { makeTenant, type Tenant } from '../support/actors.js';
import { startService } from '../support/service.js';
import { makeMcpConnection } from './make.js';
import { McpDouble } from './mcp-double.js';
import { discoverSignIn, startProtected } from './protected-double.js';

const service = await startService();
const double = await McpDouble.start();
const idp = await startIdentityProvider();
const isGood = async (token: string) => (await idp.provider.AccessToken.find(token)) !== undefined;
const guarded = await startProtected(idp.issuer, isGood);
afterAll(async () => {
  await service.stop();
  await guarded.stop();
  idp.stop();
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

it('a user signs in where the server says, and a turn then calls its tool, which the trace has', async () => {
  const tenant = await makeTenant(service);
  const { issuer, ...addresses } = await discoverSignIn(guarded.url);
  const profile = { ...idp.profile, ...addresses, issuer, idpName: 'Company login' };
  expect((await makeProfile(service, tenant, profile)).outcome).toBe('201');
  const connection = { url: guarded.url, name: 'Tracker', authProfile: 'Company login' };
  const { mcpConnectionId } = await makeMcpConnection(service, tenant, connection);
  await makeActiveAgent(service, tenant, { mcpConnectionIds: [mcpConnectionId] });

  const { visitor, provider } = await goToProvider(service, tenant, 'ada');
  expect((await visitor.open(await visitor.signIn(provider, service.url))).status).toBe(200);
  const { body, text } = await askAs(tenant, 'ada');
  expect(body).toMatchObject({ status: 'completed', usage: { toolCalls: 1 } });
  expect(body.output[0]!.content).toMatch(/The tool answered: Echo: /);
  const shown = await details(tenant, body.session.sessionId, { include: ['traces', 'observations'] });
  const observations = shown.body.sessions[0]!.traces.flatMap((trace) => trace.observations);
  expect(observations.find(({ name }) => name === 'echo')).toMatchObject({ type: 'SPAN' });
  expect(guarded.tokens.length).toBeGreaterThan(0);
  for (const token of guarded.tokens) for (const seen of [text, shown.text]) expect(seen).not.toContain(token);
  expect((await askAs(tenant, 'eve')).body).toMatchObject({ usage: { toolCalls: 0 } });
});

/** Sends a message in a new session of a user. */
async function askAs(tenant: Tenant, who: string) {
  await create(tenant, [user(who)]);
  const sessionIdentity = [user(who)];
  return tenant.api.post<RunBody>(runsPath(tenant), { sessionIdentity, input: 'Ask echo to say this' });
}
