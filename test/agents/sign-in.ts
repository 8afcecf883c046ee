import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { create, user } from '../sessions/make.js';
import { administratorOf, makeKeyWith, type Tenant, uniqueName } from '../support/actors.js';
import type { Answer } from '../support/client.js';
import type { Service, Target } from '../support/service.js';
import { onwardFrom, Visitor } from './visitor.js';

export interface ProfileBody {
  profileId: string;
  idpName: string;
}

/** A profile of the app for users to sign in. */
export function makeProfile(
  target: Target,
  { appId }: { appId: string },
  wish: object = {},
): Promise<Answer<{ data: ProfileBody }>> {
  return administratorOf(target).post(`/api/admin/v1/apps/${appId}/auth-profiles`, {
    idpName: uniqueName('Login'),
    authorizationUrl: 'http://127.0.0.1:1/authorize',
    tokenUrl: 'http://127.0.0.1:1/token',
    clientId: 'slipway',
    clientSecret: 'a canary of a client secret',
    scopes: 'openid',
    sso_type: 'oauth2',
    ...wish,
  });
}

export interface BegunSignIn {
  address: URL;
  state: string;
  /** What the conversation shows; undefined where the profile wants none. */
  code: string | undefined;
}

/** What the answer to a user of a new session says of signing in. */
export async function beginSignIn(service: Service, tenant: Tenant, who = 'somebody'): Promise<BegunSignIn> {
  const { api } = await makeKeyWith(service, tenant, ['SESSION_CREATION']);
  const { text, body } = await create({ ...tenant, api }, [user(who)]);
  const event = body.events.find(({ name }) => name === 'IDP_Redirect');
  const { auth_profiles: profiles } = (event?.content ?? {}) as { auth_profiles?: { url: string }[] };
  if (!profiles) throw new Error(`Nobody has to sign in: ${text}`);
  const address = new URL(profiles.at(-1)!.url);
  const { code } = event!.params as { code?: string };
  return { address, state: address.pathname.split('/').at(-1)!, code };
}

/** The same, as far as the provider: with the browser that went there, and the address at which it is. */
export async function goToProvider(service: Service, tenant: Tenant, who?: string) {
  const { address, state, code } = await beginSignIn(service, tenant, who);
  const visitor = new Visitor();
  const provider = onwardFrom(await visitor.begin(address.href, code));
  return { visitor, provider, state };
}

/** A provider's endpoint for tokens that gives them to whoever asks. It ends with the process. */
export async function tokenEndpoint(answer: object = { access_token: 'a-token', token_type: 'bearer' }) {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  server.unref();
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`;
}
