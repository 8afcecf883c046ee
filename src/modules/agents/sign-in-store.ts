import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { clock } from '../../kernel/clock.js';
import type { Id } from '../../kernel/ids.js';
import { defineSealed } from '../../platform/crypto/sealed-column.js';
import { Vault } from '../../platform/crypto/vault.js';
import { planned, sql } from '../../platform/database/sql.js';
import { Statements } from '../../platform/database/statements.js';

const verifierColumn = defineSealed({ table: 'auth_flow', column: 'verifier_sealed' });
const tokensColumn = defineSealed({ table: 'user_token', column: 'tokens_sealed' });

/** A user who is about to sign in. */
export interface SignIn {
  /** A digest of its state. */
  id: string;
  profileId: Id<'authProfile'>;
  userId: Id<'user'>;
  /** Proves that whoever asks for the tokens is who began (PKCE). */
  verifier: string;
}

export interface Tokens {
  accessToken: string;
  refreshToken: string | null;
}

export interface KeptTokens extends Tokens {
  profileId: Id<'authProfile'>;
  expiresAt: Date | null;
}

/** A profile of the app, and what a user has of it. */
export interface ProfileOfUser {
  profileId: Id<'authProfile'>;
  idpName: string;
  ssoType: string;
  tokens: KeptTokens | null;
}

interface FlowRow {
  id: string;
  profile_id: Id<'authProfile'>;
  user_id: Id<'user'>;
  verifier_sealed: string;
}

interface TokenRow {
  id: string;
  profile_id: Id<'authProfile'>;
  tokens_sealed: string;
  expires_at: Date | null;
}

type ProfileRow = Omit<ProfileOfUser, 'tokens'> & { tokensId: string | null; sealed: string; expiresAt: Date | null };

/** Who signs in and what they got, sealed. */
@Injectable()
export class SignInStore {
  constructor(
    private readonly statements: Statements,
    private readonly vault: Vault,
  ) {}

  async insert(em: EntityManager, { id, profileId, userId, verifier }: SignIn, expiresAt: Date): Promise<void> {
    const sealed = this.vault.seal(verifier, verifierColumn, id);
    await this.statements.runIn(
      em,
      sql`insert into auth_flow (id, profile_id, user_id, verifier_sealed, expires_at)
          values (${id}, ${profileId}, ${userId}, ${sealed}, ${expiresAt})`,
    );
  }

  /** Nothing where it is over, was used, or never was. */
  async open(id: string): Promise<SignIn | null> {
    const [row] = await this.statements.run<FlowRow>(
      'select * from auth_flow where id = $1 and used_at is null and expires_at > $2',
      [id, clock.now()],
    );
    return row ? this.toSignIn(row) : null;
  }

  /** The same, once: of two who come back with one state one finds it. */
  async use(id: string): Promise<SignIn | null> {
    const [row] = await this.statements.run<FlowRow>(
      'update auth_flow set used_at = $2 where id = $1 and used_at is null and expires_at > $2 returning *',
      [id, clock.now()],
    );
    return row ? this.toSignIn(row) : null;
  }

  async keep(
    em: EntityManager,
    { profileId, userId }: Pick<SignIn, 'profileId' | 'userId'>,
    tokens: Tokens,
    expiresAt: Date | null,
  ): Promise<void> {
    const id = `${profileId}:${userId}`;
    const sealed = this.vault.seal(JSON.stringify(tokens), tokensColumn, id);
    const now = clock.now();
    await this.statements.runIn(
      em,
      sql`
      insert into user_token (id, profile_id, user_id, tokens_sealed, expires_at, updated_at)
      values (${id}, ${profileId}, ${userId}, ${sealed}, ${expiresAt}, ${now})
      on conflict (id) do update set tokens_sealed = excluded.tokens_sealed, expires_at = excluded.expires_at,
        updated_at = excluded.updated_at`,
    );
  }

  async profilesOf(appId: Id<'app'>, userId: Id<'user'>): Promise<ProfileOfUser[]> {
    const rows = await this.statements.run<ProfileRow>(
      planned`select p.id as "profileId", p.idp_name as "idpName", p.sso_type as "ssoType",
                t.id as "tokensId", t.tokens_sealed as sealed, t.expires_at as "expiresAt"
              from auth_profile p left join user_token t on t.profile_id = p.id and t.user_id = ${userId}
              where p.app_id = ${appId} order by p.id`,
    );
    return rows.map(({ tokensId, sealed, expiresAt, ...profile }) => {
      const tokens = tokensId === null ? null : this.toKept(tokensId, profile.profileId, sealed, expiresAt);
      return { ...profile, tokens };
    });
  }

  async tokensOf(userId: Id<'user'>): Promise<KeptTokens[]> {
    const rows = await this.statements.run<TokenRow>('select * from user_token where user_id = $1', [userId]);
    return rows.map((row) => this.toKept(row.id, row.profile_id, row.tokens_sealed, row.expires_at));
  }

  /** The same of one profile, with the row held until the commit; whoever else wants it waits so long. */
  async hold(
    em: EntityManager,
    { profileId, userId }: Pick<SignIn, 'profileId' | 'userId'>,
    patienceMs: number,
  ): Promise<KeptTokens | null> {
    await this.statements.runIn(em, sql`select set_config('lock_timeout', ${String(patienceMs)}, true)`);
    const id = `${profileId}:${userId}`;
    const [row] = await this.statements.runIn<TokenRow>(em, sql`select * from user_token where id = ${id} for update`);
    return row ? this.toKept(id, profileId, row.tokens_sealed, row.expires_at) : null;
  }

  private toKept(id: string, profileId: Id<'authProfile'>, sealed: string, expiresAt: Date | null): KeptTokens {
    const tokens = JSON.parse(this.vault.open(sealed, tokensColumn, id)) as Tokens;
    return { ...tokens, profileId, expiresAt };
  }

  private toSignIn({ id, profile_id: profileId, user_id: userId, verifier_sealed: sealed }: FlowRow): SignIn {
    return { id, profileId, userId, verifier: this.vault.open(sealed, verifierColumn, id) };
  }
}
