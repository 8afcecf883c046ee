import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

export const CLIENT_ID = 'slipway';
export const CLIENT_SECRET = 'a canary of a client secret';

/** The claims of a person, beside the subject, which is the login. */
export type ClaimsOf = (login: string) => Record<string, unknown>;

interface Options {
  /** The path to which the provider sends people back, at any address of the service. */
  redirectPath: string;
  claimsOf?: ClaimsOf;
  /** Whether the id token has all claims, or the userinfo endpoint does. */
  claimsInToken?: boolean;
}

/** Starts an OpenID Connect provider that signs in any user without checking the password. */
export async function startProvider({ redirectPath, claimsOf = () => ({}), claimsInToken = true }: Options) {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        redirect_uris: [`http://127.0.0.1${redirectPath}`],
        token_endpoint_auth_method: 'client_secret_post',
        grant_types: ['authorization_code', 'refresh_token'],
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'preferred_username', 'groups'] },
    conformIdTokenClaims: !claimsInToken,
    findAccount: (_context: unknown, accountId: string) => ({
      accountId,
      claims: () => ({ sub: accountId, ...claimsOf(accountId) }),
    }),
    pkce: { required: () => true },
    issueRefreshToken: () => true,
    rotateRefreshToken: () => true,
  } as never);
  const client = provider.Client.prototype as unknown as { redirectUriAllowed(uri: string): boolean };
  client.redirectUriAllowed = (uri) => new URL(uri).pathname === redirectPath;
  server.on('request', provider.callback() as never);
  return {
    provider,
    issuer,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Starts a provider at which users of an app sign in, so that tools act for them. */
export async function startIdentityProvider() {
  const started = await startProvider({ redirectPath: '/auth/idp/callback' });
  const { issuer } = started;
  return {
    ...started,
    /** The members of a profile that describe this provider. */
    profile: { authorizationUrl: `${issuer}/auth`, tokenUrl: `${issuer}/token`, scopes: 'openid' },
  };
}
