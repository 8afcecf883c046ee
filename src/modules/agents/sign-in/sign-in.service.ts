import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SYSTEM } from '../../../kernel/actor.js';
import { randomBase62 } from '../../../kernel/base62.js';
import { clock } from '../../../kernel/clock.js';
import type { Id } from '../../../kernel/ids.js';
import { Vault } from '../../../platform/crypto/vault.js';
import { Database } from '../../../platform/database/database.js';
import type { Transaction } from '../../../platform/database/transaction.js';
import { PublicOrigin } from '../../../platform/links/public-origin.js';
import type { SessionRow } from '../../sessions/session.entity.js';
import type { ProfileState } from '../../sessions/sessions.port.js';
import { agentsErrors } from '../agents.errors.js';
import { AuthProfileRepository, type ProfileOfUser } from './auth-profile.repository.js';
import { IdentityProviders } from './identity-providers.js';
import { type SignInFlowRow, verifierColumn } from './sign-in-flow.entity.js';
import { type NewSignInFlow, SignInFlowRepository } from './sign-in-flow.repository.js';
import { UserTokens } from './user-tokens.service.js';

const STATE_LENGTH = 43;
const VERIFIER_LENGTH = 64;
const OPEN_FOR_MS = 60 * 60_000;

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
    private readonly flows: SignInFlowRepository,
    private readonly tokens: UserTokens,
    private readonly providers: IdentityProviders,
    private readonly vault: Vault,
    private readonly address: PublicOrigin,
  ) {}

  /** Where the user of a session has to sign in, each with an address to begin at. */
  async statesFor(tx: Transaction, { appId, userId }: SessionRow): Promise<ProfileState[]> {
    const profiles = await tx.ask(this.profiles.ofUser(appId, userId));
    const flows: NewSignInFlow[] = [];
    const states = profiles.map((profile) => {
      const { id, idpName, ssoType } = profile;
      if (this.isAuthorized(profile, userId)) return { url: '', idpName, isAuthorized: true, ssoType };
      const { flow, url } = this.begin(id, userId);
      flows.push(flow);
      return { url, idpName, isAuthorized: false, ssoType };
    });
    if (flows.length > 0) await tx.ask(this.flows.add(flows));
    return states;
  }

  /** The address at the provider to which the user is sent. */
  async go(state: string): Promise<string> {
    const flow = await this.database.ask(this.flows.open(digestOf(state)));
    const profile = flow && (await this.profiles.byId(flow.profileId));
    if (!profile) throw agentsErrors.signInNotFound();
    return this.providers.authorizationAddress(profile, this.asked(flow, state));
  }

  /** Gets the tokens for what the user came back with, once. */
  async complete({ state, code, error }: SentBack): Promise<void> {
    const flow = await this.database.ask(this.flows.use(digestOf(state)));
    const profile = flow && (await this.profiles.byId(flow.profileId));
    if (!profile) throw agentsErrors.signInNotFound();
    if (error !== undefined || code === undefined) throw agentsErrors.signInRefused({ idp: profile.idpName });
    const tokens = await this.providers.tokensFor(profile, { code, ...this.asked(flow, state) });
    const { profileId, userId } = flow;
    await this.database.transaction(SYSTEM, (tx) => tx.ask(this.tokens.keep({ profileId, userId }, tokens)));
  }

  private isAuthorized({ id: profileId, tokensSealed, expiresAt }: ProfileOfUser, userId: Id<'user'>): boolean {
    return tokensSealed !== null && this.tokens.areGood({ profileId, userId, tokensSealed, expiresAt });
  }

  private begin(profileId: Id<'authProfile'>, userId: Id<'user'>): { flow: NewSignInFlow; url: string } {
    const state = randomBase62(STATE_LENGTH);
    const id = digestOf(state);
    const verifierSealed = this.vault.seal(randomBase62(VERIFIER_LENGTH), verifierColumn, id);
    const expiresAt = new Date(clock.now().getTime() + OPEN_FOR_MS);
    const url = `${this.address.url()}/auth/idp/${state}`;
    return { flow: { id, profileId, userId, verifierSealed, expiresAt }, url };
  }

  private asked({ id, verifierSealed }: SignInFlowRow, state: string) {
    const verifier = this.vault.open(verifierSealed, verifierColumn, id);
    return { state, verifier, redirectUri: `${this.address.url()}/auth/idp/callback` };
  }
}

function digestOf(state: string): string {
  return createHash('sha256').update(state).digest('base64url');
}
