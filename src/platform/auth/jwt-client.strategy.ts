import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import { Strategy } from 'passport-jwt';
import type { JwtClientActor } from '../../kernel/actor.js';
import { clock } from '../../kernel/clock.js';
import { authErrors } from './auth.errors.js';
import { JwtClientDirectory, type KnownJwtClient, TOKEN_ALGORITHMS } from './jwt-client-directory.js';
import { checkTimes, clientIdOf, decodeToken, readToken, signingKey, type UnverifiedToken } from './token.js';

/** passport-jwt also takes key objects, which its types do not declare. */
type KeyFound = (error: null, key?: Buffer) => void;

interface Attempt {
  token: UnverifiedToken;
  client: KnownJwtClient;
}

/**
 * Authenticates tokens that clients sign themselves. A token names its client; the key and the algorithm come from the
 * client and never from the token. passport-jwt refuses a key whose kind does not fit the algorithm.
 */
@Injectable()
export class JwtClientStrategy extends PassportStrategy(Strategy, 'jwt-client') {
  private readonly attempts = new WeakMap<Request, Attempt>();

  constructor(private readonly clients: JwtClientDirectory) {
    super({
      jwtFromRequest: (request: Request) => this.attempts.get(request)!.token.text,
      secretOrKeyProvider: (request: Request, _token: string, done: KeyFound) => {
        const { token, client } = this.attempts.get(request)!;
        done(null, signingKey(token, client) as unknown as Buffer);
      },
      algorithms: [...TOKEN_ALGORITHMS],
      // `validate` checks the times, by the clock of the service.
      ignoreExpiration: true,
      jsonWebTokenOptions: { ignoreNotBefore: true },
      passReqToCallback: true,
    });
  }

  override authenticate(request: Request): void {
    this.begin(request).then(
      () => super.authenticate(request),
      (error: Error) => this.error(error),
    );
  }

  /** Runs once the signature of the token is verified. */
  async validate(request: Request): Promise<JwtClientActor> {
    const { token, client } = this.attempts.get(request)!;
    const usableUntil = checkTimes(token.claims, client, clock.now());
    if (client.enforceJti) await this.refuseReplay(token, client, usableUntil);
    return client.actor;
  }

  /** A token that is refused here costs at most one read. */
  private async begin(request: Request): Promise<void> {
    const token = decodeToken(readToken(request));
    const { alg, crit } = token.header;
    if (alg === 'none' || crit !== undefined) throw authErrors.tokenInvalid();
    const client = await this.clients.find(clientIdOf(token.claims));
    if (!client || client.algorithm !== alg) throw authErrors.tokenInvalid();
    this.attempts.set(request, { token, client });
  }

  private async refuseReplay(
    { claims: { jti } }: UnverifiedToken,
    { actor }: KnownJwtClient,
    usableUntil: Date | null,
  ): Promise<void> {
    // A token without an expiry would have to be remembered for ever.
    if (typeof jti !== 'string' || jti === '' || usableUntil === null) throw authErrors.tokenInvalid();
    if (!(await this.clients.useOnce(actor.clientId, jti, usableUntil))) throw authErrors.tokenReplayed();
  }
}
