import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

/** Starts an OpenID Connect provider that signs in any user without checking the password. */
export async function startIdentityProvider(serviceUrl: string) {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'slipway',
        client_secret: 'a canary of a client secret',
        redirect_uris: [`${serviceUrl}/auth/idp/callback`],
        token_endpoint_auth_method: 'client_secret_post',
        grant_types: ['authorization_code', 'refresh_token'],
      },
    ],
    pkce: { required: () => true },
    issueRefreshToken: () => true,
    rotateRefreshToken: () => true,
  } as never);
  server.on('request', provider.callback() as never);
  return {
    provider,
    /** The members of a profile that describe this provider. */
    profile: { authorizationUrl: `${issuer}/auth`, tokenUrl: `${issuer}/token`, scopes: 'openid' },
    issuer,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
