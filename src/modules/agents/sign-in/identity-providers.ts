import { Injectable } from '@nestjs/common';
import * as oauth from 'oauth4webapi';
import { clock } from '../../../kernel/clock.js';
import { Vault } from '../../../platform/crypto/vault.js';
import { Outbound, type OutboundRequest } from '../../../platform/outbound/outbound.js';
import { agentsErrors } from '../agents.errors.js';
import type { AuthProfile } from './auth-profile.entity.js';
import { clientSecretColumn } from './auth-profiles.service.js';

const LIMITS = { timeoutMs: 15_000, maxBytes: 1_048_576 };
/** Other transactions may wait for a renewal with one statement, which is cancelled after ten seconds. */
export const RENEWAL_TIMEOUT_MS = 8_000;

/** The parameters that the authorization request and the token request of one sign-in have in common. */
interface SignInRequest {
  state: string;
  verifier: string;
  redirectUri: string;
}

export interface Tokens {
  accessToken: string;
  refreshToken: string | null;
}

export type NewTokens = Tokens & { expiresAt: Date | null };

/** Speaks OAuth 2 with identity providers, through the guarded client. */
@Injectable()
export class IdentityProviders {
  constructor(
    private readonly outbound: Outbound,
    private readonly vault: Vault,
  ) {}

  async authorizationAddress(profile: AuthProfile, { state, verifier, redirectUri }: SignInRequest): Promise<string> {
    const address = new URL(profile.authorizationUrl);
    const parameters = {
      response_type: 'code',
      client_id: profile.clientId,
      redirect_uri: redirectUri,
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...(profile.scopes && { scope: profile.scopes }),
    };
    for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
    return address.href;
  }

  /** Whether this provider sent the user back. A malicious one could pass on the code of another provider (RFC 9207). */
  isIssuer({ issuer, authorizationUrl }: AuthProfile, iss: string | undefined): boolean {
    if (issuer !== null) return iss === issuer;
    return iss === undefined || (URL.canParse(iss) && new URL(iss).origin === new URL(authorizationUrl).origin);
  }

  tokensFor(
    profile: AuthProfile,
    { code, state, verifier, redirectUri }: SignInRequest & { code: string },
  ): Promise<NewTokens> {
    return this.requestTokens(profile, LIMITS, async (server, client, secret, options) => {
      const sentBack = new URLSearchParams({ code, state });
      const checked = oauth.validateAuthResponse(server, client, sentBack, state);
      const response = await oauth.authorizationCodeGrantRequest(
        server,
        client,
        secret,
        checked,
        redirectUri,
        verifier,
        options,
      );
      return oauth.processAuthorizationCodeResponse(server, client, await withoutIdToken(response));
    });
  }

  renew(profile: AuthProfile, refreshToken: string): Promise<NewTokens> {
    const limits = { ...LIMITS, timeoutMs: RENEWAL_TIMEOUT_MS };
    return this.requestTokens(profile, limits, async (server, client, secret, options) => {
      const response = await oauth.refreshTokenGrantRequest(server, client, secret, refreshToken, options);
      return oauth.processRefreshTokenResponse(server, client, await withoutIdToken(response));
    });
  }

  private async requestTokens(
    profile: AuthProfile,
    limits: typeof LIMITS,
    request: (
      server: oauth.AuthorizationServer,
      client: oauth.Client,
      secret: oauth.ClientAuth,
      options: oauth.TokenEndpointRequestOptions,
    ) => Promise<oauth.TokenEndpointResponse>,
  ): Promise<NewTokens> {
    const { origin, protocol } = new URL(profile.tokenUrl);
    const server = { issuer: origin, token_endpoint: profile.tokenUrl };
    const secret = this.vault.open(profile.clientSecretSealed, clientSecretColumn, profile.id);
    const options = {
      [oauth.customFetch]: (url: string, init: OutboundRequest) => this.outbound.fetch(url, init, limits),
      // The guarded client decides which addresses are allowed, including those with http.
      [oauth.allowInsecureRequests]: protocol === 'http:',
    };
    try {
      const client = { client_id: profile.clientId };
      return toTokens(await request(server, client, oauth.ClientSecretPost(secret), options));
    } catch (cause) {
      throw agentsErrors.signInFailed({ idp: profile.idpName }, { cause });
    }
  }
}

/** Removes the id token, which could not be verified: a profile does not name the keys of its provider. No code uses it. */
async function withoutIdToken(response: Response): Promise<Response> {
  const body = (await response.json()) as Record<string, unknown>;
  delete body.id_token;
  return new Response(JSON.stringify(body), { status: response.status, headers: response.headers });
}

/** A token with a longer lifetime is renewed after a year. Without a limit, the expiry could exceed the range of a date. */
const MAX_LIFETIME_S = 365 * 86_400;

function toTokens({ access_token, token_type, refresh_token, expires_in }: oauth.TokenEndpointResponse): NewTokens {
  // Tools send the token as it is. A token that is bound to a key of the client (DPoP) would be refused.
  if (token_type !== 'bearer') throw new Error(`A token of the type ${token_type} cannot be sent by tools`);
  const lifetimeMs = expires_in === undefined ? null : Math.min(expires_in, MAX_LIFETIME_S) * 1000;
  const expiresAt = lifetimeMs === null ? null : new Date(clock.now().getTime() + lifetimeMs);
  return { accessToken: access_token, refreshToken: refresh_token ?? null, expiresAt };
}
