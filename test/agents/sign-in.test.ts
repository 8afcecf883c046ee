import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:http';
import Provider from 'oidc-provider';
import { UserTokens } from '../../src/modules/agents/sign-in/user-tokens.service.js';
import { Database } from '../../src/platform/database/database.js';
import { create, user } from '../sessions/make.js';
import { makeTenant, type Tenant } from '../support/actors.js';
import { Client } from '../support/client.js';
import { startService } from '../support/service.js';
import { beginSignIn, makeProfile, tokenEndpoint } from './sign-in.js';

const service = await startService();
const browser = new Client(service.url);
let idp: Server;
let issuer: string;
let renewals = 0;

beforeAll(async () => {
  idp = createServer();
  await once(idp.listen(0, '127.0.0.1'), 'listening');
  issuer = `http://127.0.0.1:${(idp.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'slipway',
        client_secret: 'a canary of a client secret',
        redirect_uris: [`${service.url}/auth/idp/callback`],
        token_endpoint_auth_method: 'client_secret_post',
        grant_types: ['authorization_code', 'refresh_token'],
      },
    ],
    pkce: { required: () => true },
    issueRefreshToken: () => true,
    rotateRefreshToken: () => true,
  } as never);
  provider.on('grant.success', ({ oidc }) => {
    if (oidc.params?.grant_type === 'refresh_token') renewals += 1;
  });
  idp.on('request', provider.callback() as never);
});

afterAll(async () => {
  await service.stop();
  idp.closeAllConnections();
  idp.close();
});

/** A browser that signs in: it follows redirects, keeps cookies, and sends the provider's forms. */
class Visitor {
  private readonly cookies = new Map<string, string>();

  /** Until an address of the service. */
  async follow(address: string): Promise<string> {
    for (let hops = 0; hops < 20; hops += 1) {
      if (address.startsWith(service.url)) return address;
      const { location, html } = await this.ask(address);
      if (location) address = new URL(location, address).href;
      else address = await this.submit(html, address);
    }
    throw new Error(`The sign-in leads nowhere: ${address}`);
  }

  private async submit(html: string, from: string): Promise<string> {
    const action = /action="([^"]+)"/.exec(html)![1]!.replaceAll('&amp;', '&');
    const prompt = /name="prompt" value="([^"]+)"/.exec(html)![1]!;
    const body = new URLSearchParams({ prompt, login: 'ada', password: 'x' });
    const { location } = await this.ask(new URL(action, from).href, { method: 'POST', body });
    return new URL(location!, from).href;
  }

  private async ask(address: string, init: RequestInit = {}): Promise<{ location: string | null; html: string }> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(address, { ...init, headers: { cookie }, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      this.cookies.set(name, value);
    }
    return { location: response.headers.get('location'), html: await response.text() };
  }
}

function tokensOf({ appId }: Tenant, userId: string, names: string[]): Promise<Record<string, string>> {
  const { app } = service;
  return app.get(Database).apart(() => app.get(UserTokens).of(appId as never, userId as never, names));
}

const profileOf = () => ({ authorizationUrl: `${issuer}/auth`, tokenUrl: `${issuer}/token`, scopes: 'openid' });

it('sends the user to the provider, keeps the tokens sealed, and then asks no more', async () => {
  const tenant = await makeTenant(service);
  await makeProfile(service, tenant, { ...profileOf(), idpName: 'Company login' });
  const first = await create(tenant, [user('ada')]);
  expect(first.outcome).toBe('201');
  expect(first.body).toEqual({
    messageId: expect.stringMatching(/^msg-/) as string,
    events: [
      expect.objectContaining({ name: 'Welcome_Event' }),
      {
        name: 'IDP_Redirect',
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
        params: { reason: 'authorization_required' },
      },
    ],
    output: [expect.objectContaining({ type: 'text' })],
    sessionInfo: expect.objectContaining({ status: 'started', userReference: 'ada', attachments: [] }) as object,
    allowedMimeTypes: expect.any(Array) as string[],
    fileUploadConfig: { enabled: true, maxFileCount: 10, maxFileSize: 25, maxTokens: 100_000 },
  });

  const { pathname } = await beginSignIn(service, tenant, 'ada');
  const sent = await browser.get(pathname);
  expect(sent.status).toBe(302);
  const address = new URL(sent.headers.get('location')!);
  expect(Object.fromEntries(address.searchParams)).toMatchObject({
    response_type: 'code',
    code_challenge_method: 'S256',
  });

  const back = new URL(await new Visitor().follow(address.href));
  const done = await browser.get(back.pathname + back.search);
  expect(done.outcome).toBe('200');
  expect((await browser.get(back.pathname + back.search)).outcome).toBe('404 SIGN_IN_NOT_FOUND');

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

it('renews a token once, whoever needs it at the same moment', async () => {
  const tenant = await makeTenant(service);
  const scopes = 'openid offline_access';
  await makeProfile(service, tenant, { ...profileOf(), scopes, idpName: 'Company login' });
  const { pathname } = await beginSignIn(service, tenant, 'ada');
  const sent = await browser.get(pathname);
  const back = new URL(await new Visitor().follow(sent.headers.get('location')!));
  expect((await browser.get(back.pathname + back.search)).outcome).toBe('200');
  const { userId } = (await create(tenant, [user('ada')])).body.session;
  const together = () => Promise.all([1, 2, 3].map(() => tokensOf(tenant, userId, ['Company login'])));

  const [before] = await together();
  renewals = 0;
  // A provider that rotates revokes everything where a refresh token comes twice: then the second round has no token.
  for (const round of [1, 2]) {
    await service.database.rows('update user_token set expires_at = now() where user_id = $1', [userId]);
    const [first, ...others] = await together();
    expect(first).toEqual({ 'Company login': expect.any(String) as string });
    expect(others).toEqual([first, first]);
    expect(first).not.toEqual(before);
    expect(renewals).toBe(round);
  }
});

it('keeps no tokens where the user says no, or the provider does', async () => {
  const tenant = await makeTenant(service);
  await makeProfile(service, tenant, profileOf());
  const stateOf = async () => (await beginSignIn(service, tenant)).pathname.split('/').at(-1)!;
  const back = async (query: Record<string, string>) => {
    return (await browser.get('/auth/idp/callback', { query: { state: await stateOf(), ...query } })).outcome;
  };
  expect(await back({ error: 'access_denied' })).toBe('400 SIGN_IN_REFUSED');
  expect(await back({ code: 'made up' })).toBe('502 SIGN_IN_FAILED');
  expect(await back({ state: 'another' })).toBe('404 SIGN_IN_NOT_FOUND');
  expect(
    await service.database.rows('select from user_token join auth_profile p on p.id = profile_id where p.app_id = $1', [
      tenant.appId,
    ]),
  ).toEqual([]);
});

it('passes over what providers add of their own', async () => {
  const tenant = await makeTenant(service);
  await makeProfile(service, tenant, { ...profileOf(), tokenUrl: await tokenEndpoint() });
  const { pathname } = await beginSignIn(service, tenant);
  const query = { state: pathname.split('/').at(-1)!, code: 'a-code', realmId: '4711', client_info: 'e30' };
  expect((await browser.get('/auth/idp/callback', { query })).outcome).toBe('200');
});

it('takes no token that tools could not send as it is', async () => {
  const tenant = await makeTenant(service);
  const tokenUrl = await tokenEndpoint({ access_token: 'a-token', token_type: 'DPoP' });
  await makeProfile(service, tenant, { ...profileOf(), tokenUrl });
  const { pathname } = await beginSignIn(service, tenant);
  const query = { state: pathname.split('/').at(-1)!, code: 'a-code' };
  expect((await browser.get('/auth/idp/callback', { query })).outcome).toBe('502 SIGN_IN_FAILED');
});

it('forgets a sign-in after an hour', async () => {
  const tenant = await makeTenant(service);
  await makeProfile(service, tenant, profileOf());
  const { pathname } = await beginSignIn(service, tenant);
  await service.database.rows(`update auth_flow set expires_at = now() - interval '1 second'`);
  expect((await browser.get(pathname)).outcome).toBe('404 SIGN_IN_NOT_FOUND');
});
