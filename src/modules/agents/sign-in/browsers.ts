import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { PublicOrigin } from '../../../platform/links/public-origin.js';
import { SecretCookie } from '../../../platform/links/secret-cookie.js';

/** The time that a sign-in may take. */
const MAX_AGE_SECONDS = 3_600;

/** Recognizes a browser by a random secret that it keeps in a cookie. */
@Injectable()
export class Browsers extends SecretCookie {
  constructor(address: PublicOrigin) {
    // The cookie is `Lax` because providers send their users back from another site.
    super(address, { name: 'slipway-sign-in', maxAgeSeconds: MAX_AGE_SECONDS, sameSite: 'Lax' });
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
