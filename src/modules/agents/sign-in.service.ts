import { createHash } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { SYSTEM } from '../../kernel/actor.js';
import { randomBase62 } from '../../kernel/base62.js';
import { clock } from '../../kernel/clock.js';
import type { Id } from '../../kernel/ids.js';
import { Database } from '../../platform/database/database.js';
import { PublicOrigin } from '../../platform/links/public-origin.js';
import { Log } from '../../platform/telemetry/log.js';
import type { ProfileState, Session } from '../sessions/sessions.port.js';
import { agentsErrors } from './agents.errors.js';
import type { AuthProfile } from './auth-profile.entity.js';
import { AuthProfileRepository } from './auth-profile.repository.js';
import { IdentityProviders, LONGEST_RENEWAL_MS } from './identity-providers.js';
import { type KeptTokens, SignInStore } from './sign-in-store.js';

const STATE_LENGTH = 43;
const VERIFIER_LENGTH = 64;
const OPEN_FOR_MS = 60 * 60_000;
/** A token that ends sooner is renewed before it is used. */
const FRESH_FOR_MS = 60_000;
/** More than a renewal takes: whoever finds one under way gets what comes of it. */
const PATIENCE_MS = LONGEST_RENEWAL_MS + 1_000;

/** What an identity provider sends a user back with. */
export interface SentBack {
  state: string;
  code?: string | undefined;
  error?: string | undefined;
}

/** Users sign in elsewhere, so that tools may act for them (OAuth 2 with PKCE). */
@Injectable()
export class SignIns {
  constructor(
    private readonly database: Database,
    private readonly profiles: AuthProfileRepository,
    private readonly store: SignInStore,
    private readonly providers: IdentityProviders,
    private readonly address: PublicOrigin,
    private readonly log: Log,
  ) {}

  /** Where the user of a session has to sign in, each with an address to begin at. */
  async statesFor(em: EntityManager, { appId, userId }: Session): Promise<ProfileState[]> {
    const profiles = await this.store.profilesOf(appId, userId);
    return Promise.all(
      profiles.map(async ({ profileId, idpName, ssoType, tokens }) => {
        const isAuthorized = tokens !== null && (isFresh(tokens) || tokens.refreshToken !== null);
        const url = isAuthorized ? '' : await this.begin(em, profileId, userId);
        return { url, idpName, isAuthorized, ssoType };
      }),
    );
  }

  /** The address at the provider to which the user is sent. */
  async go(state: string): Promise<string> {
    const signIn = await this.store.open(digestOf(state));
    const profile = signIn && (await this.profiles.byId(signIn.profileId));
    if (!profile) throw agentsErrors.signInNotFound();
    return this.providers.authorizationAddress(profile, {
      state,
      verifier: signIn.verifier,
      redirectUri: this.callback,
    });
  }

  /** Gets the tokens for what the user came back with, once. */
  async complete({ state, code, error }: SentBack): Promise<void> {
    const signIn = await this.store.use(digestOf(state));
    const profile = signIn && (await this.profiles.byId(signIn.profileId));
    if (!profile) throw agentsErrors.signInNotFound();
    if (error !== undefined || code === undefined) throw agentsErrors.signInRefused({ idp: profile.idpName });
    const asked = { code, state, verifier: signIn.verifier, redirectUri: this.callback };
    const { expiresAt, ...tokens } = await this.providers.tokensFor(profile, asked);
    await this.database.transaction(SYSTEM, (em) => this.store.keep(em, signIn, tokens, expiresAt));
  }

  /** Of the profiles of these names; those that are over are renewed, or left out where they cannot be. */
  async tokensOf(appId: Id<'app'>, userId: Id<'user'>, names: readonly string[]): Promise<Record<string, string>> {
    if (names.length === 0) return {};
    const kept = await this.store.tokensOf(userId);
    if (kept.length === 0) return {};
    const profiles = (await this.profiles.ofApp(appId)).filter(({ idpName }) => names.includes(idpName));
    const named = kept.map(async (tokens): Promise<[string, string][]> => {
      const profile = profiles.find(({ id }) => id === tokens.profileId);
      const token = profile && (await this.fresh(profile, userId, tokens));
      return profile && token ? [[profile.idpName, token]] : [];
    });
    return Object.fromEntries((await Promise.all(named)).flat());
  }

  private async fresh(profile: AuthProfile, userId: Id<'user'>, tokens: KeptTokens): Promise<string | null> {
    if (isFresh(tokens)) return tokens.accessToken;
    if (tokens.refreshToken === null) return null;
    try {
      return await this.database.transaction(SYSTEM, (em) => this.renew(em, profile, userId));
    } catch (error) {
      this.log.warn({ err: error, profileId: profile.id }, 'The token of a user could not be renewed');
      return null;
    }
  }

  /** One at a time: many providers take a refresh token once, and revoke all where it comes again. */
  private async renew(em: EntityManager, profile: AuthProfile, userId: Id<'user'>): Promise<string | null> {
    const whose = { profileId: profile.id, userId };
    const tokens = await this.store.hold(em, whose, PATIENCE_MS);
    if (!tokens?.refreshToken || isFresh(tokens)) return tokens?.accessToken ?? null;
    const { expiresAt, ...renewed } = await this.providers.renew(profile, tokens.refreshToken);
    const kept = { ...renewed, refreshToken: renewed.refreshToken ?? tokens.refreshToken };
    await this.store.keep(em, whose, kept, expiresAt);
    return kept.accessToken;
  }

  private async begin(em: EntityManager, profileId: Id<'authProfile'>, userId: Id<'user'>): Promise<string> {
    const state = randomBase62(STATE_LENGTH);
    const signIn = { id: digestOf(state), profileId, userId, verifier: randomBase62(VERIFIER_LENGTH) };
    await this.store.insert(em, signIn, new Date(clock.now().getTime() + OPEN_FOR_MS));
    return `${this.address.url()}/auth/idp/${state}`;
  }

  private get callback(): string {
    return `${this.address.url()}/auth/idp/callback`;
  }
}

function digestOf(state: string): string {
  return createHash('sha256').update(state).digest('base64url');
}

function isFresh({ expiresAt }: KeptTokens): boolean {
  return expiresAt === null || expiresAt.getTime() > clock.now().getTime() + FRESH_FOR_MS;
}
