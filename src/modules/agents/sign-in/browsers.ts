import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { randomBase62 } from '../../../kernel/base62.js';
import { PublicOrigin } from '../../../platform/links/public-origin.js';

const SECRET_LENGTH = 43;
const SECRET = /^[0-9A-Za-z]{43}$/;
/** The time that a sign-in may take. */
const MAX_AGE_S = 3_600;

/** Recognizes a browser by a random secret that it keeps in a cookie. */
@Injectable()
export class Browsers {
  constructor(private readonly address: PublicOrigin) {}

  /** Returns the secret that the browser sent, or null if it sent none in the form that this service issues. */
  secretIn(cookies: string | undefined): string | null {
    const ours = `${this.cookieName()}=`;
    const sent = cookies?.split(';').map((cookie) => cookie.trim());
    const secret = sent?.find((cookie) => cookie.startsWith(ours))?.slice(ours.length) ?? '';
    return SECRET.test(secret) ? secret : null;
  }

  newSecret(): string {
    return randomBase62(SECRET_LENGTH);
  }

  /** The cookie is `Lax` and not `Strict`, because providers send users back from another site. */
  cookieWith(secret: string): string {
    const secure = this.isSecure() ? '; Secure' : '';
    return `${this.cookieName()}=${secret}; Path=/; Max-Age=${MAX_AGE_S}; HttpOnly; SameSite=Lax${secure}`;
  }

  /**
   * The prefix `__Host-` makes browsers reject a cookie of this name that another host of the domain sets. Browsers
   * accept the prefix over https only, so a service on http, such as one on localhost, leaves it out.
   */
  private cookieName(): string {
    return this.isSecure() ? '__Host-slipway-sign-in' : 'slipway-sign-in';
  }

  private isSecure(): boolean {
    return this.address.url().startsWith('https:');
  }
}

/** Returns what is stored about a browser. A reader of the table cannot impersonate the browser with it. */
export function browserDigest(secret: string): string {
  return digest(`browser:${secret}`);
}

/** Protects the form of one sign-in in one browser against CSRF: other sites do not know the secret that it is made of. */
export function formToken(secret: string, state: string): string {
  return digest(`form:${secret}:${state}`);
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
