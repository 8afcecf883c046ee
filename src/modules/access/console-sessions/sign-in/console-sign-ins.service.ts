import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { AdminActor } from '../../../../kernel/actor.js';
import { actorOf, AdminIdentities } from '../../../../platform/auth/admin-identities.js';
import {
  type IdentifiedRequest,
  type IdentityDescription,
  SignInIdentity,
  type SignInValues,
} from '../../../../platform/auth/admin-identity.js';
import { Digests } from '../../../../platform/auth/digests.js';
import { PublicOrigin } from '../../../../platform/links/public-origin.js';
import { SecretCookie } from '../../../../platform/links/secret-cookie.js';
import { accessErrors } from '../../access.errors.js';
import { ConsoleSessionsService, type SignedIn } from '../console-sessions.service.js';
import { SIGN_IN } from './console-sign-in.schema.js';

const OPEN_FOR_SECONDS = 600;
/**
 * Cookies ignore ports, so the name of the cookie tells services of one host apart. The value is from the time when only
 * OpenID Connect signed people in. Processes of the release before look for a cookie of this name, while they are replaced.
 */
const NAME_OF_INSTALLATION = 'console-oidc-cookie';
const NAME_LENGTH = 8;

/** A sign-in that goes on at a provider: the secret for the cookie, and the address there. */
interface Begun {
  secret: string;
  address: string;
}

/**
 * Signs administrators in to the console by their identities. Nothing is stored until that is done: one secret in a cookie
 * stands for a sign-in at a provider, and the values that the provider sees are made of it.
 */
@Injectable()
export class ConsoleSignIns {
  readonly cookie: SecretCookie;

  constructor(
    private readonly identities: AdminIdentities,
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

  offered(): IdentityDescription[] {
    return this.identities.inConsole();
  }

  /** Begins a sign-in at a provider, or signs in the person whom the request itself identifies. */
  async begin(name: string, request: IdentifiedRequest, userAgent: string): Promise<Begun | SignedIn> {
    const named = this.identityOf(name);
    const { identity } = named;
    if (identity instanceof SignInIdentity) {
      const secret = this.cookie.newSecret();
      return { secret, address: await this.identities.inTime(name, identity.begin(this.valuesOf(name, secret))) };
    }
    const person = await this.identities.personIn(request, named);
    if (!person) throw accessErrors.signInRefused();
    return this.signIn(person, userAgent);
  }

  async complete(
    name: string,
    sentBack: URLSearchParams,
    cookies: string | undefined,
    userAgent: string,
  ): Promise<SignedIn> {
    const { identity } = this.identityOf(name);
    const begun = this.cookie.secretsIn(cookies).map((secret) => this.valuesOf(name, secret));
    const values = begun.find(({ state }) => state === sentBack.get('state'));
    if (!values || !(identity instanceof SignInIdentity)) throw accessErrors.signInNotFound();
    const person = await this.identities.inTime(name, identity.complete(sentBack, values));
    return this.signIn(actorOf(name, person), userAgent);
  }

  /** A session without a role would show a console in which everything is refused. */
  private signIn(person: AdminActor, userAgent: string): Promise<SignedIn> {
    if (person.role === null && person.projectRoles.size === 0) throw accessErrors.signInNoRole();
    return this.sessions.signIn(person, userAgent);
  }

  private identityOf(name: string) {
    const named = this.identities.inConsole().find((each) => each.name === name);
    if (!named) throw accessErrors.signInOff();
    return named;
  }

  /** The values contain the name of the identity, so that no provider can continue a sign-in at another one. */
  private valuesOf(name: string, secret: string): SignInValues {
    return {
      state: valueOf(name, 'state', secret),
      verifier: valueOf(name, 'verifier', secret),
      nonce: valueOf(name, 'nonce', secret),
      redirectUri: `${this.address.url()}${SIGN_IN}/${name}/callback`,
    };
  }
}

/** Makes a value from which neither the secret nor another value can be found. */
function valueOf(identity: string, purpose: string, secret: string): string {
  return createHash('sha256').update(`console-${identity}-${purpose}:${secret}`).digest('base64url');
}
