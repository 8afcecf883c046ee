import { Injectable } from '@nestjs/common';
import * as oauth from 'oauth4webapi';
import { clock } from '../../../kernel/clock.js';
import { Vault } from '../../../platform/crypto/vault.js';
import { Outbound } from '../../../platform/outbound/outbound.js';
import { agentsErrors } from '../agents.errors.js';
import type { AuthProfile } from './auth-profile.entity.js';
import { clientSecretColumn } from './auth-profiles.service.js';

const LIMITS = { timeoutMs: 15_000, maxBytes: 1_048_576 };
/** Others may wait for it with a statement, which has ten seconds. */
export const LONGEST_RENEWAL_MS = 8_000;

interface Asked {
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

  async authorizationAddress(profile: AuthProfile, { state, verifier, redirectUri }: Asked): Promise<string> {
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

  /** Whether it is this provider that sent the user back: one that is not could pass on codes of another (RFC 9207). */
  isIssuer({ issuer, authorizationUrl }: AuthProfile, iss: string | undefined): boolean {
    if (issuer !== null) return iss === issuer;
    return iss === undefined || (URL.canParse(iss) && new URL(iss).origin === new URL(authorizationUrl).origin);
  }

  tokensFor(
    profile: AuthProfile,
    { code, state, verifier, redirectUri }: Asked & { code: string },
  ): Promise<NewTokens> {
    return this.orRefuse(profile, LIMITS, async (server, client, secret, options) => {
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
    const limits = { ...LIMITS, timeoutMs: LONGEST_RENEWAL_MS };
    return this.orRefuse(profile, limits, async (server, client, secret, options) => {
      const response = await oauth.refreshTokenGrantRequest(server, client, secret, refreshToken, options);
      return oauth.processRefreshTokenResponse(server, client, await withoutIdToken(response));
    });
  }

  private async orRefuse(
    profile: AuthProfile,
    limits: typeof LIMITS,
    ask: (
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
      [oauth.customFetch]: (url: string, init: RequestInit) => this.outbound.fetch(url, init, limits),
      // Where a provider may be is for the guarded client to say.
      [oauth.allowInsecureRequests]: protocol === 'http:',
    };
    try {
      const client = { client_id: profile.clientId };
      return toTokens(await ask(server, client, oauth.ClientSecretPost(secret), options));
    } catch (cause) {
      throw agentsErrors.signInFailed({ idp: profile.idpName }, { cause });
    }
  }
}

/** Who the user is there is nothing that is asked here; and a profile does not say whose word would count. */
async function withoutIdToken(response: Response): Promise<Response> {
  const body = (await response.json()) as Record<string, unknown>;
  delete body.id_token;
  return new Response(JSON.stringify(body), { status: response.status, headers: response.headers });
}

/** A token that is said to last longer is asked for anew then; dates end somewhere too. */
const LONGEST_S = 365 * 86_400;

function toTokens({ access_token, token_type, refresh_token, expires_in }: oauth.TokenEndpointResponse): NewTokens {
  // Tools send it as it is; one that is bound to a key of ours would be good for nothing.
  if (token_type !== 'bearer') throw new Error(`A token of the type ${token_type} is none that tools can send`);
  const lastsMs = expires_in === undefined ? null : Math.min(expires_in, LONGEST_S) * 1000;
  const expiresAt = lastsMs === null ? null : new Date(clock.now().getTime() + lastsMs);
  return { accessToken: access_token, refreshToken: refresh_token ?? null, expiresAt };
}
