import { Injectable } from '@nestjs/common';
import { SYSTEM } from '../../../kernel/actor.js';
import { clock } from '../../../kernel/clock.js';
import type { Id } from '../../../kernel/ids.js';
import { MINUTE_MS } from '../../../kernel/spans.js';
import { Vault } from '../../../platform/crypto/vault.js';
import { Database } from '../../../platform/database/database.js';
import type { Statement } from '../../../platform/database/statement.js';
import type { Transaction } from '../../../platform/database/transaction.js';
import { Log } from '../../../platform/telemetry/log.js';
import type { AuthProfile } from './auth-profile.entity.js';
import { AuthProfileRepository } from './auth-profile.repository.js';
import { IdentityProviders, RENEWAL_TIMEOUT_MS, type NewTokens, type Tokens } from './identity-providers.js';
import { tokensColumn, userTokenId, type UserTokenRow } from './user-token.entity.js';
import { UserTokenRepository } from './user-token.repository.js';

/** A token that expires sooner is renewed before it is used. */
const FRESH_FOR_MS = MINUTE_MS;
/** Longer than a renewal takes, so that a transaction that waits for a renewal gets its result. */
const LOCK_TIMEOUT_MS = RENEWAL_TIMEOUT_MS + 1_000;

/** Identifies the tokens of one user at the provider of one profile. */
type TokenKey = Pick<UserTokenRow, 'profileId' | 'userId'>;
type SealedTokens = TokenKey & Pick<UserTokenRow, 'tokensSealed' | 'expiresAt'>;

/** Keeps the tokens of users at identity providers, sealed in the database, and renews them when they expire. */
@Injectable()
export class UserTokens {
  constructor(
    private readonly database: Database,
    private readonly profiles: AuthProfileRepository,
    private readonly tokens: UserTokenRepository,
    private readonly providers: IdentityProviders,
    private readonly vault: Vault,
    private readonly log: Log,
  ) {}

  keep(key: TokenKey, { expiresAt, ...tokens }: NewTokens): Statement<void> {
    const id = userTokenId(key);
    const tokensSealed = this.vault.seal(JSON.stringify(tokens), tokensColumn, id);
    return this.tokens.keep({ ...key, id, tokensSealed, expiresAt, updatedAt: clock.now() });
  }

  /** Whether tools may act for the user with these tokens, perhaps after a renewal. */
  areUsable(sealed: SealedTokens): boolean {
    const tokens = this.open(sealed);
    return isFresh(tokens) || tokens.refreshToken !== null;
  }

  /** Returns the access tokens by the names of their profiles. Expired ones are renewed, or left out if that fails. */
  async of(appId: Id<'app'>, userId: Id<'user'>, names: readonly string[]): Promise<Record<string, string>> {
    if (names.length === 0) return {};
    const stored = await this.database.ask(this.tokens.ofUser(userId));
    if (stored.length === 0) return {};
    const profiles = (await this.profiles.ofApp(appId)).filter(({ idpName }) => names.includes(idpName));
    const named = stored.map(async (sealed): Promise<[string, string][]> => {
      const profile = profiles.find(({ id }) => id === sealed.profileId);
      const token = profile && (await this.freshToken(profile, sealed));
      return profile && token ? [[profile.idpName, token]] : [];
    });
    return Object.fromEntries((await Promise.all(named)).flat());
  }

  private async freshToken(profile: AuthProfile, sealed: SealedTokens): Promise<string | null> {
    const tokens = this.open(sealed);
    if (isFresh(tokens)) return tokens.accessToken;
    if (tokens.refreshToken === null) return null;
    try {
      return await this.database.transaction(SYSTEM, (tx) => this.renew(tx, profile, sealed));
    } catch (error) {
      this.log.warn({ err: error, profileId: profile.id }, 'The token of a user could not be renewed');
      return null;
    }
  }

  /**
   * Renews the tokens under a lock, one renewal at a time. Many providers accept a refresh token once, and revoke all
   * tokens of the user if it is sent again.
   */
  private async renew(tx: Transaction, profile: AuthProfile, { profileId, userId }: TokenKey): Promise<string | null> {
    const key = { profileId, userId };
    const [, locked] = await tx.askAll([this.tokens.waitAtMost(LOCK_TIMEOUT_MS), this.tokens.lock(userTokenId(key))]);
    const tokens = locked && this.open(locked);
    if (!tokens?.refreshToken || isFresh(tokens)) return tokens?.accessToken ?? null;
    const renewed = await this.providers.renew(profile, tokens.refreshToken);
    await tx.ask(this.keep(key, { ...renewed, refreshToken: renewed.refreshToken ?? tokens.refreshToken }));
    return renewed.accessToken;
  }

  private open({ tokensSealed, expiresAt, ...key }: SealedTokens): NewTokens {
    const tokens = JSON.parse(this.vault.open(tokensSealed, tokensColumn, userTokenId(key))) as Tokens;
    return { ...tokens, expiresAt };
  }
}

function isFresh({ expiresAt }: NewTokens): boolean {
  return expiresAt === null || expiresAt.getTime() > clock.now().getTime() + FRESH_FOR_MS;
}
