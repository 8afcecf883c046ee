import { randomBase62 } from '../../kernel/base62.js';
import type { PublicOrigin } from './public-origin.js';

const SECRET_LENGTH = 43;
const SECRET = /^[0-9A-Za-z]{43}$/;
/** Each secret of a request may cost a query. Browsers seldom have more than one. */
const MOST_OF_A_REQUEST = 4;

interface CookieOptions {
  name: string;
  maxAgeSeconds: number;
  sameSite: 'Lax' | 'Strict';
}

/** A cookie with a secret of its browser. Scripts cannot read it. */
export class SecretCookie {
  constructor(
    private readonly address: PublicOrigin,
    private readonly options: CookieOptions,
  ) {}

  /**
   * Returns the secrets in the header `Cookie` that have the right form. A browser sends several if its cookies of the
   * name have other paths or domains. Those with the shortest path, which this class sets, come last.
   */
  secretsIn(cookies: string | undefined): string[] {
    const prefix = `${this.name()}=`;
    const sent = (cookies ?? '').split(';').map((cookie) => cookie.trim());
    const values = sent.filter((cookie) => cookie.startsWith(prefix)).map((cookie) => cookie.slice(prefix.length));
    return values.filter((value) => SECRET.test(value)).slice(-MOST_OF_A_REQUEST);
  }

  newSecret(): string {
    return randomBase62(SECRET_LENGTH);
  }

  /** Returns the value of the header `Set-Cookie`. */
  with(secret: string): string {
    return this.header(secret, this.options.maxAgeSeconds);
  }

  /** Returns the value of the header `Set-Cookie` that deletes the cookie. */
  gone(): string {
    return this.header('', 0);
  }

  private header(value: string, maxAge: number): string {
    const secure = this.isSecure() ? '; Secure' : '';
    return `${this.name()}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=${this.options.sameSite}${secure}`;
  }

  /**
   * The prefix `__Host-` ensures that no other host of the domain has set the cookie. Browsers accept it only over
   * HTTPS, so the cookie has no prefix where the service is reached over HTTP, as on localhost.
   */
  private name(): string {
    return this.isSecure() ? `__Host-${this.options.name}` : this.options.name;
  }

  private isSecure(): boolean {
    return this.address.url().startsWith('https:');
  }
}
