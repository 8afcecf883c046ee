import { UserTokens } from '../../src/modules/agents/sign-in/user-tokens.service.js';
import { Database } from '../../src/platform/database/database.js';
import { create, user } from '../sessions/make.js';
import { makeTenant, type Tenant } from '../support/actors.js';
import { Client } from '../support/client.js';
import { startService } from '../support/service.js';
import { startIdentityProvider } from './identity-provider.js';
import { beginSignIn, goToProvider, makeProfile, tokenEndpoint } from './sign-in.js';

const service = await startService();
const browser = new Client(service.url);
const idp = await startIdentityProvider();
let renewals = 0;
idp.provider.on('grant.success', ({ oidc }) => {
  if (oidc.params?.grant_type === 'refresh_token') renewals += 1;
});

afterAll(async () => {
  await service.stop();
  idp.stop();
});

/** Sends the user to the provider and back with these parameters, in the same browser. */
async function comeBack(tenant: Tenant, query: Record<string, string>): Promise<string> {
  const { visitor, state } = await goToProvider(service, tenant);
  const headers = { cookie: visitor.cookie };
  return (await browser.get('/auth/idp/callback', { query: { state, ...query }, headers })).outcome;
}

function tokensOf({ appId }: Tenant, userId: string, names: string[]): Promise<Record<string, string>> {
  const { app } = service;
  return app.get(Database).apart(() => app.get(UserTokens).of(appId as never, userId as never, names));
}

it('a user is sent to the provider once, and the tokens are stored sealed', async () => {
  const tenant = await makeTenant(service);
  await makeProfile(service, tenant, { ...idp.profile, idpName: 'Company login' });
  const first = await create(tenant, [user('ada')]);
  expect(first.outcome).toBe('201');
  expect(first.body).toEqual({
    messageId: expect.stringMatching(/^msg-/) as string,
    events: [
      expect.objectContaining({ name: 'Welcome_Event' }),
      {
        name: 'IDP_Redirect',
        type: 'IDP_Redirect',
        content: {
          auth_profiles: [
            {
              url: expect.stringContaining(`${service.url}/auth/idp/`) as string,
              idpName: 'Company login',
              isAuthorized: false,
              sso_type: 'oauth2',
            },
          ],
        },
        params: { reason: 'authorization_required', code: expect.stringMatching(/^\d{6}$/) as string },
      },
    ],
    output: [expect.objectContaining({ type: 'text' }), expect.objectContaining({ type: 'text' })],
    sessionInfo: expect.objectContaining({ status: 'started', userReference: 'ada', attachments: [] }) as object,
    allowedMimeTypes: expect.any(Array) as string[],
    fileUploadConfig: { enabled: true, maxFileCount: 10, maxFileSize: 25, maxTokens: 100_000 },
  });

  const { visitor, provider } = await goToProvider(service, tenant, 'ada');
  const address = new URL(provider);
  expect(Object.fromEntries(address.searchParams)).toMatchObject({
    response_type: 'code',
    code_challenge_method: 'S256',
  });

  const back = await visitor.signIn(address.href, service.url);
  expect((await visitor.open(back)).status).toBe(200);
  expect((await visitor.open(back)).status).toBe(404);

  const again = await create(tenant, [user('ada')]);
  expect(again.body).toHaveProperty('session');
  const { userId } = again.body.session;
  expect(await tokensOf(tenant, userId, [])).toEqual({});
  expect(await tokensOf(tenant, userId, ['Another login'])).toEqual({});
  const tokens = await tokensOf(tenant, userId, ['Company login']);
  expect(Object.keys(tokens)).toEqual(['Company login']);
  const dump = await service.database.dump();
  expect(dump).not.toContain(tokens['Company login']);
  expect(dump).not.toContain('a canary of a client secret');
  expect((await create(tenant, [user('eve')])).body).toHaveProperty('sessionInfo');
});

it('a token is renewed once, even if several callers need it at the same moment', async () => {
  const tenant = await makeTenant(service);
  const scopes = 'openid offline_access';
  await makeProfile(service, tenant, { ...idp.profile, scopes, idpName: 'Company login' });
  const { visitor, provider } = await goToProvider(service, tenant, 'ada');
  expect((await visitor.open(await visitor.signIn(provider, service.url))).status).toBe(200);
  const { userId } = (await create(tenant, [user('ada')])).body.session;
  const together = () => Promise.all([1, 2, 3].map(() => tokensOf(tenant, userId, ['Company login'])));

  const [before] = await together();
  renewals = 0;
  // This provider revokes all tokens if a refresh token is used twice, and then the second round would get none.
  for (const round of [1, 2]) {
    const areOver = `update user_token set expires_at = now() - interval '1 second' where user_id = $1`;
    await service.database.rows(areOver, [userId]);
    const [first, ...others] = await together();
    expect(first).toEqual({ 'Company login': expect.any(String) as string });
    expect(others).toEqual([first, first]);
    expect(first).not.toEqual(before);
    expect(renewals).toBe(round);
  }
});

it('no tokens are stored if the user or the provider refuses', async () => {
  const tenant = await makeTenant(service);
  await makeProfile(service, tenant, idp.profile);
  expect(await comeBack(tenant, { error: 'access_denied' })).toBe('400 SIGN_IN_REFUSED');
  expect(await comeBack(tenant, { code: 'made up' })).toBe('502 SIGN_IN_FAILED');
  expect(await comeBack(tenant, { state: 'another' })).toBe('404 SIGN_IN_NOT_FOUND');
  expect(
    await service.database.rows('select from user_token join auth_profile p on p.id = profile_id where p.app_id = $1', [
      tenant.appId,
    ]),
  ).toEqual([]);
});

it('additional parameters of a provider are ignored', async () => {
  const tenant = await makeTenant(service);
  await makeProfile(service, tenant, { ...idp.profile, tokenUrl: await tokenEndpoint() });
  expect(await comeBack(tenant, { code: 'a-code', realmId: '4711', client_info: 'e30' })).toBe('200');
});

it('a token that tools cannot send as it is is refused', async () => {
  const tenant = await makeTenant(service);
  const tokenUrl = await tokenEndpoint({ access_token: 'a-token', token_type: 'DPoP' });
  await makeProfile(service, tenant, { ...idp.profile, tokenUrl });
  expect(await comeBack(tenant, { code: 'a-code' })).toBe('502 SIGN_IN_FAILED');
});

it('a sign-in expires after an hour', async () => {
  const tenant = await makeTenant(service);
  await makeProfile(service, tenant, idp.profile);
  const { address } = await beginSignIn(service, tenant);
  await service.database.rows(`update auth_flow set expires_at = now() - interval '1 second'`);
  expect((await browser.get(address.pathname)).outcome).toBe('404 SIGN_IN_NOT_FOUND');
});
