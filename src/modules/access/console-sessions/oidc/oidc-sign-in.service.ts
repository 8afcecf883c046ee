import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Digests } from '../../../../platform/auth/digests.js';
import { PublicOrigin } from '../../../../platform/links/public-origin.js';
import { SecretCookie } from '../../../../platform/links/secret-cookie.js';
import { accessErrors } from '../../access.errors.js';
import { ConsoleSessionsService, type SignedIn } from '../console-sessions.service.js';
import { OidcClient, type OidcRegistration } from './oidc-client.js';
import { OidcProvider, type SignInValues } from './oidc-provider.js';
import { CALLBACK } from './oidc-sign-in.schema.js';
import { personOf } from './person-of-claims.js';

const OPEN_FOR_SECONDS = 600;
/** Cookies ignore ports, so the name of the cookie tells services of one host apart. */
const NAME_OF_INSTALLATION = 'console-oidc-cookie';
const NAME_LENGTH = 8;

/**
 * Signs administrators in at an OpenID Connect provider. Nothing is stored until that is done: one secret in a cookie
 * stands for the sign-in, and the values that the provider sees are made of it.
 */
@Injectable()
export class OidcSignIns {
  readonly cookie: SecretCookie;

  constructor(
    private readonly client: OidcClient,
    private readonly provider: OidcProvider,
    private readonly sessions: ConsoleSessionsService,
    private readonly address: PublicOrigin,
    digests: Digests,
  ) {
    this.cookie = new SecretCookie(address, {
      name: `slipway-sign-in-${digests.of(NAME_OF_INSTALLATION).slice(0, NAME_LENGTH)}`,
      maxAgeSeconds: OPEN_FOR_SECONDS,
      // The browser comes back from the provider, which is another site.
      sameSite: 'Lax',
    });
  }

  get isOffered(): boolean {
    return this.client.registration !== null;
  }

  /** Returns the secret for the cookie, and the address at which the person signs in. */
  async begin(): Promise<{ secret: string; address: string }> {
    const registration = this.registration();
    const secret = this.cookie.newSecret();
    return { secret, address: await this.provider.authorizationAddress(registration, this.valuesOf(secret)) };
  }

  async complete(sentBack: URLSearchParams, cookies: string | undefined, userAgent: string): Promise<SignedIn> {
    const registration = this.registration();
    const begun = this.cookie.secretsIn(cookies).map((secret) => this.valuesOf(secret));
    const values = begun.find(({ state }) => state === sentBack.get('state'));
    if (!values) throw accessErrors.oidcSignInNotFound();
    const claims = await this.provider.claims(registration, sentBack, values);
    return this.sessions.signInPerson(personOf(claims, registration), this.client.digest()!, userAgent);
  }

  private registration(): OidcRegistration {
    if (!this.client.registration) throw accessErrors.oidcOff();
    return this.client.registration;
  }

  private valuesOf(secret: string): SignInValues {
    return {
      state: valueOf('state', secret),
      verifier: valueOf('verifier', secret),
      nonce: valueOf('nonce', secret),
      redirectUri: `${this.address.url()}${CALLBACK}`,
    };
  }
}

/** Makes a value from which neither the secret nor another value can be found. */
function valueOf(purpose: string, secret: string): string {
  return createHash('sha256').update(`console-oidc-${purpose}:${secret}`).digest('base64url');
}
