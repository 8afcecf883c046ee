import { Injectable } from '@nestjs/common';
import { SYSTEM } from '../../../kernel/actor.js';
import { clock } from '../../../kernel/clock.js';
import type { Id } from '../../../kernel/ids.js';
import { Vault } from '../../../platform/crypto/vault.js';
import { Database } from '../../../platform/database/database.js';
import type { Statement } from '../../../platform/database/statement.js';
import type { Transaction } from '../../../platform/database/transaction.js';
import { Log } from '../../../platform/telemetry/log.js';
import type { AuthProfile } from './auth-profile.entity.js';
import { AuthProfileRepository } from './auth-profile.repository.js';
import { IdentityProviders, LONGEST_RENEWAL_MS, type NewTokens, type Tokens } from './identity-providers.js';
import { tokensColumn, userTokenId, type UserTokenRow } from './user-token.entity.js';
import { UserTokenRepository } from './user-token.repository.js';

/** A token that ends sooner is renewed before it is used. */
const FRESH_FOR_MS = 60_000;
/** More than a renewal takes: whoever finds one under way gets what comes of it. */
const PATIENCE_MS = LONGEST_RENEWAL_MS + 1_000;

/** Whose tokens, and of which profile. */
type Holder = Pick<UserTokenRow, 'profileId' | 'userId'>;
type Sealed = Holder & Pick<UserTokenRow, 'tokensSealed' | 'expiresAt'>;

/** The tokens that users have of identity providers, sealed in the database and renewed when they are over. */
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

  keep(holder: Holder, { expiresAt, ...tokens }: NewTokens): Statement<void> {
    const id = userTokenId(holder);
    const tokensSealed = this.vault.seal(JSON.stringify(tokens), tokensColumn, id);
    return this.tokens.keep({ ...holder, id, tokensSealed, expiresAt, updatedAt: clock.now() });
  }

  /** Whether tools may act for the user with them, if need be once they are renewed. */
  areGood(sealed: Sealed): boolean {
    const tokens = this.opened(sealed);
    return isFresh(tokens) || tokens.refreshToken !== null;
  }

  /** Of the profiles of these names; those that are over are renewed, or left out where they cannot be. */
  async of(appId: Id<'app'>, userId: Id<'user'>, names: readonly string[]): Promise<Record<string, string>> {
    if (names.length === 0) return {};
    const kept = await this.database.ask(this.tokens.ofUser(userId));
    if (kept.length === 0) return {};
    const profiles = (await this.profiles.ofApp(appId)).filter(({ idpName }) => names.includes(idpName));
    const named = kept.map(async (sealed): Promise<[string, string][]> => {
      const profile = profiles.find(({ id }) => id === sealed.profileId);
      const token = profile && (await this.fresh(profile, sealed));
      return profile && token ? [[profile.idpName, token]] : [];
    });
    return Object.fromEntries((await Promise.all(named)).flat());
  }

  private async fresh(profile: AuthProfile, sealed: Sealed): Promise<string | null> {
    const tokens = this.opened(sealed);
    if (isFresh(tokens)) return tokens.accessToken;
    if (tokens.refreshToken === null) return null;
    try {
      return await this.database.transaction(SYSTEM, (tx) => this.renew(tx, profile, sealed));
    } catch (error) {
      this.log.warn({ err: error, profileId: profile.id }, 'The token of a user could not be renewed');
      return null;
    }
  }

  /** One at a time: many providers take a refresh token once, and revoke all where it comes again. */
  private async renew(tx: Transaction, profile: AuthProfile, { profileId, userId }: Holder): Promise<string | null> {
    const holder = { profileId, userId };
    const [, locked] = await tx.askAll([this.tokens.waitAtMost(PATIENCE_MS), this.tokens.lock(userTokenId(holder))]);
    const tokens = locked && this.opened(locked);
    if (!tokens?.refreshToken || isFresh(tokens)) return tokens?.accessToken ?? null;
    const renewed = await this.providers.renew(profile, tokens.refreshToken);
    await tx.ask(this.keep(holder, { ...renewed, refreshToken: renewed.refreshToken ?? tokens.refreshToken }));
    return renewed.accessToken;
  }

  private opened({ tokensSealed, expiresAt, ...holder }: Sealed): NewTokens {
    const tokens = JSON.parse(this.vault.open(tokensSealed, tokensColumn, userTokenId(holder))) as Tokens;
    return { ...tokens, expiresAt };
  }
}

function isFresh({ expiresAt }: NewTokens): boolean {
  return expiresAt === null || expiresAt.getTime() > clock.now().getTime() + FRESH_FOR_MS;
}
