import { createHash, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { Caller } from '../../kernel/actor.js';
import type { Access } from '../../kernel/permissions.js';
import { PublicOrigin } from '../links/public-origin.js';
import { SecretCookie } from '../links/secret-cookie.js';
import { ConsoleDirectory, type KnownConsoleSession } from './console-directory.js';
import { Digests } from './digests.js';

export const CONSOLE_SESSION_SECONDS = 8 * 3_600;

/** Carries the token that proves that a page of this service sends the request, and not another site. */
const TOKEN_HEADER = 'x-slipway-console';
/** Cookies ignore ports, so the name of the cookie tells services of one host apart. It is made of the pepper. */
const NAME_OF_INSTALLATION = 'console-cookie';
const NAME_LENGTH = 8;
/** Names the app in which the administrator acts, on routes that take an API key. */
const APP_HEADER = 'x-slipway-app';

/**
 * Authenticates the pages of the console by the cookie that signing in has set. The API takes the cookie only together
 * with its token, also for reading, so that no other site can make a browser use it.
 */
@Injectable()
export class ConsoleCaller {
  readonly cookie: SecretCookie;

  constructor(
    private readonly sessions: ConsoleDirectory,
    private readonly digests: Digests,
    address: PublicOrigin,
  ) {
    this.cookie = new SecretCookie(address, {
      name: `slipway-console-${digests.of(NAME_OF_INSTALLATION).slice(0, NAME_LENGTH)}`,
      maxAgeSeconds: CONSOLE_SESSION_SECONDS,
      sameSite: 'Strict',
    });
  }

  /** Whether a page of the console sends the request, in a session that may have ended. */
  isAskedBy({ headers }: Request): boolean {
    return headers[TOKEN_HEADER] !== undefined;
  }

  /** Returns null if the request is none of the console, or its session has ended. */
  async of({ headers }: Request, access: Access): Promise<Caller | null> {
    const secret = this.cookie.secretsIn(headers.cookie).find((each) => isTokenOf(each, headers[TOKEN_HEADER]));
    const session = secret === undefined ? null : await this.find(secret);
    if (!session) return null;
    if (access === 'administration') return session.actor;
    const appId = headers[APP_HEADER];
    return typeof appId === 'string' ? this.sessions.inApp(session, appId) : null;
  }

  /**
   * Finds the session by the cookies alone, for a page that a browser opens. Other cookies of the same name may stand
   * before that of the session.
   */
  async ofCookies(cookies: string | undefined): Promise<{ session: KnownConsoleSession; secret: string } | null> {
    for (const secret of this.cookie.secretsIn(cookies).toReversed()) {
      const session = await this.find(secret);
      if (session) return { session, secret };
    }
    return null;
  }

  private find(secret: string): Promise<KnownConsoleSession | null> {
    return this.sessions.find(this.digests.of(secret));
  }
}

/** Returns the token that the console sends beside its cookie. Other sites do not know the secret, so they cannot make it. */
export function consoleToken(secret: string): string {
  return createHash('sha256').update(`console:${secret}`).digest('base64url');
}

function isTokenOf(secret: string, token: string | string[] | undefined): boolean {
  const [expected, sent] = [Buffer.from(consoleToken(secret)), Buffer.from(String(token))];
  return expected.length === sent.length && timingSafeEqual(expected, sent);
}
