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

/** Creates a profile of the app, at whose provider users sign in. */
export function makeProfile(
  target: Target,
  { appId }: { appId: string },
  input: object = {},
): Promise<Answer<{ data: ProfileBody }>> {
  return administratorOf(target).post(`/api/admin/v1/apps/${appId}/auth-profiles`, {
    idpName: uniqueName('Login'),
    authorizationUrl: 'http://127.0.0.1:1/authorize',
    tokenUrl: 'http://127.0.0.1:1/token',
    clientId: 'slipway',
    clientSecret: 'a canary of a client secret',
    scopes: 'openid',
    sso_type: 'oauth2',
    ...input,
  });
}

export interface BegunSignIn {
  address: URL;
  state: string;
  /** The code that the conversation shows. Undefined if the profile requires none. */
  code: string | undefined;
}

/** Creates a session whose user has to sign in, and returns the address and the code of the answer. */
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

/** Begins a sign-in and goes to the provider. Returns the visitor, and the provider's address at which the visitor is. */
export async function goToProvider(service: Service, tenant: Tenant, who?: string) {
  const { address, state, code } = await beginSignIn(service, tenant, who);
  const visitor = new Visitor();
  const provider = onwardFrom(await visitor.begin(address.href, code));
  return { visitor, provider, state };
}

/** Starts a token endpoint that gives the same answer to every request. It ends with the process. */
export async function tokenEndpoint(answer: object = { access_token: 'a-token', token_type: 'bearer' }) {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  server.unref();
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`;
}
