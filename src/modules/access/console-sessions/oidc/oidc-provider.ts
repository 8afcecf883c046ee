import { Injectable } from '@nestjs/common';
import * as oauth from 'oauth4webapi';
import type { SignInValues } from '../../../../platform/auth/admin-identity.js';
import { Outbound, type OutboundRequest } from '../../../../platform/outbound/outbound.js';
import { Log } from '../../../../platform/telemetry/log.js';
import { accessErrors } from '../../access.errors.js';
import type { OidcRegistration } from './oidc-identity.js';

const LIMITS = { timeoutMs: 15_000, maxBytes: 1_048_576 };

/** The claims of a person, some from the id token and, without groups there, some from the userinfo endpoint. */
export type Claims = Readonly<Record<string, unknown>> & { readonly sub: string };

/** Speaks OpenID Connect with the provider of the settings, through the guarded client. */
@Injectable()
export class OidcProvider {
  private known: Promise<oauth.AuthorizationServer> | null = null;

  constructor(
    private readonly outbound: Outbound,
    private readonly log: Log,
  ) {}

  async authorizationAddress(registration: OidcRegistration, values: SignInValues): Promise<string> {
    const server = await this.server(registration).catch((cause: unknown) => this.fail(cause));
    const address = URL.parse(server.authorization_endpoint ?? '');
    // A provider with https has no endpoint without it. The library checks that for all endpoints but this one.
    if (!address || !['https:', new URL(registration.issuer).protocol].includes(address.protocol))
      return this.fail(new Error("The provider's description lacks an authorization endpoint that is safe"));
    const parameters = {
      response_type: 'code',
      client_id: registration.clientId,
      redirect_uri: values.redirectUri,
      scope: registration.scopes,
      state: values.state,
      nonce: values.nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(values.verifier),
      code_challenge_method: 'S256',
    };
    for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
    return address.href;
  }

  /** Exchanges the code for the claims of the person. Everything in them is checked to come from the provider. */
  async claims(registration: OidcRegistration, sentBack: URLSearchParams, values: SignInValues): Promise<Claims> {
    try {
      return await this.claimsOf(registration, sentBack, values);
    } catch (cause) {
      if (cause instanceof oauth.AuthorizationResponseError) throw accessErrors.signInRefused({ cause });
      if (isUsedOrMadeUp(cause)) throw accessErrors.signInNotFound({ cause });
      return this.fail(cause);
    }
  }

  private async claimsOf(registration: OidcRegistration, sentBack: URLSearchParams, values: SignInValues) {
    const { clientId, clientSecret, groupsClaim } = registration;
    const server = await this.server(registration);
    const client = { client_id: clientId };
    const options = this.options(registration);
    const checked = oauth.validateAuthResponse(server, client, sentBack, values.state);
    const methods = server.token_endpoint_auth_methods_supported ?? [];
    const secret = methods.includes('client_secret_post')
      ? oauth.ClientSecretPost(clientSecret)
      : oauth.ClientSecretBasic(clientSecret);
    const { redirectUri, verifier, nonce: expectedNonce } = values;
    const answer = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      secret,
      checked,
      redirectUri,
      verifier,
      options,
    );
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, answer, {
      expectedNonce,
      requireIdToken: true,
    });
    // Not only TLS vouches for the token, because a proxy may stand before the token endpoint.
    await oauth.validateApplicationLevelSignature(server, answer, options);
    const claims = oauth.getValidatedIdTokenClaims(tokens)!;
    if (claims[groupsClaim] !== undefined || !server.userinfo_endpoint) return claims;
    const info = await oauth.userInfoRequest(server, client, tokens.access_token, options);
    return { ...(await oauth.processUserInfoResponse(server, client, claims.sub, info)), ...claims };
  }

  /** Reads the description of the provider once. After a failure, the next sign-in reads it again. */
  private server(registration: OidcRegistration): Promise<oauth.AuthorizationServer> {
    this.known ??= this.discover(registration).catch((error: unknown) => {
      this.known = null;
      throw error;
    });
    return this.known;
  }

  private async discover(registration: OidcRegistration): Promise<oauth.AuthorizationServer> {
    const issuer = new URL(registration.issuer);
    return oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, this.options(registration)));
  }

  private options({ issuer }: OidcRegistration) {
    return {
      [oauth.customFetch]: (url: string, init: OutboundRequest) => this.outbound.fetch(url, init, LIMITS),
      // The guarded client decides which addresses are allowed. A provider with https has no endpoints without it.
      [oauth.allowInsecureRequests]: issuer.startsWith('http:'),
    };
  }

  private fail(cause: unknown): never {
    this.log.warn({ err: cause }, 'An administrator could not sign in with OpenID Connect');
    throw accessErrors.oidcSignInFailed({ cause });
  }
}

/** Whether the provider does not accept the code, for example because the page of its answer was loaded again. */
function isUsedOrMadeUp(cause: unknown): boolean {
  return cause instanceof oauth.ResponseBodyError && cause.error === 'invalid_grant';
}
