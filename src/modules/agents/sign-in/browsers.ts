import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { randomBase62 } from '../../../kernel/base62.js';
import { PublicOrigin } from '../../../platform/links/public-origin.js';

const SECRET_LENGTH = 43;
const SECRET = /^[0-9A-Za-z]{43}$/;
/** As long as a sign-in may take. */
const MAX_AGE_S = 3_600;

/** Tells browsers apart by a secret of their own, which they keep in a cookie. */
@Injectable()
export class Browsers {
  constructor(private readonly address: PublicOrigin) {}

  /** What the browser sent, or null where it sent none that we gave. */
  secretIn(cookies: string | undefined): string | null {
    const ours = `${this.cookieName()}=`;
    const sent = cookies?.split(';').map((cookie) => cookie.trim());
    const secret = sent?.find((cookie) => cookie.startsWith(ours))?.slice(ours.length) ?? '';
    return SECRET.test(secret) ? secret : null;
  }

  newSecret(): string {
    return randomBase62(SECRET_LENGTH);
  }

  /** `Lax`, since providers send their users back from another site. */
  cookieWith(secret: string): string {
    const secure = this.isSecure() ? '; Secure' : '';
    return `${this.cookieName()}=${secret}; Path=/; Max-Age=${MAX_AGE_S}; HttpOnly; SameSite=Lax${secure}`;
  }

  /**
   * By `__Host-` no other host of the domain can have set it. Browsers take that over https alone; what is served over
   * http, as on localhost, has the same cookie without.
   */
  private cookieName(): string {
    return this.isSecure() ? '__Host-slipway-sign-in' : 'slipway-sign-in';
  }

  private isSecure(): boolean {
    return this.address.url().startsWith('https:');
  }
}

/** What is kept of a browser: whoever reads it cannot pass for the browser. */
export function browserDigest(secret: string): string {
  return digest(`browser:${secret}`);
}

/** Of the form for one sign-in in one browser. Other sites do not know the secret, so they cannot send the form. */
export function formToken(secret: string, state: string): string {
  return digest(`form:${secret}:${state}`);
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
