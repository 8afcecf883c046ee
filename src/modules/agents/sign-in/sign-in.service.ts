import { createHash, randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SYSTEM } from '../../../kernel/actor.js';
import { randomBase62 } from '../../../kernel/base62.js';
import { clock } from '../../../kernel/clock.js';
import type { Id } from '../../../kernel/ids.js';
import { HOUR_MS } from '../../../kernel/spans.js';
import { Vault } from '../../../platform/crypto/vault.js';
import { Database } from '../../../platform/database/database.js';
import type { Transaction } from '../../../platform/database/transaction.js';
import { PublicOrigin } from '../../../platform/links/public-origin.js';
import type { Page } from '../../../platform/transfer/page.js';
import type { SessionRow } from '../../sessions/session.entity.js';
import type { ProfileState } from '../../sessions/sessions.port.js';
import { agentsErrors } from '../agents.errors.js';
import { AuthProfileRepository } from './auth-profile.repository.js';
import { browserDigest, Browsers, formToken } from './browsers.js';
import { IdentityProviders } from './identity-providers.js';
import { type SignInFlowRow, verifierColumn } from './sign-in-flow.entity.js';
import { MAX_TRIES, type NewSignInFlow, SignInFlowRepository } from './sign-in-flow.repository.js';
import { donePage, onwardPage, questionPage } from './sign-in-pages.js';
import { type ProfileOfUser, UserTokenRepository } from './user-token.repository.js';
import { UserTokens } from './user-tokens.service.js';

const STATE_LENGTH = 43;
const VERIFIER_LENGTH = 64;
const CODE_DIGITS = 6;
const OPEN_FOR_MS = HOUR_MS;

/** The parameters with which an identity provider sends a user back. */
export interface SentBack {
  state: string;
  code?: string | undefined;
  error?: string | undefined;
  iss?: string | undefined;
}

/** The members of the form that the page sends. */
export interface SentForm {
  token: string;
  code: string;
}

/**
 * Lets users sign in at identity providers, so that tools may act for them (OAuth 2 with PKCE). An attacker could send
 * the address of their own session's sign-in to a victim, to get the victim's tokens. Three measures prevent this: a page
 * shows which user asks, it requires the code that the conversation shows, and only the browser that went to the provider
 * may come back.
 */
@Injectable()
export class SignIns {
  constructor(
    private readonly database: Database,
    private readonly profiles: AuthProfileRepository,
    private readonly flows: SignInFlowRepository,
    private readonly tokens: UserTokens,
    private readonly storedTokens: UserTokenRepository,
    private readonly providers: IdentityProviders,
    private readonly browsers: Browsers,
    private readonly vault: Vault,
    private readonly address: PublicOrigin,
  ) {}

  /** Returns the identity providers of the app, and for those where the user must sign in an address to begin at. */
  async statesFor(tx: Transaction, { appId, userId }: SessionRow): Promise<ProfileState[]> {
    const profiles = await tx.ask(this.storedTokens.ofUserByProfile(appId, userId));
    const flows: NewSignInFlow[] = [];
    const sharedCode = newCode();
    const states = profiles.map((profile) => {
      const { id, idpName, ssoType } = profile;
      if (this.isAuthorized(profile, userId)) return { url: '', idpName, isAuthorized: true, ssoType, code: null };
      const code = profile.requiresCode ? sharedCode : null;
      const { flow, url } = this.begin(id, userId, code);
      flows.push(flow);
      return { url, idpName, isAuthorized: false, ssoType, code };
    });
    if (flows.length > 0) await tx.ask(this.flows.add(flows));
    return states;
  }

  /** The page that the user sees first. Reading it changes nothing, because link previews and scanners open it as well. */
  async question(state: string, cookies: string | undefined): Promise<Page> {
    const flow = await this.database.ask(this.flows.open(digestOf(state)));
    if (!flow) throw agentsErrors.signInNotFound();
    const secret = this.browsers.secretsIn(cookies)[0] ?? this.browsers.newSecret();
    const { codeDigest, ...names } = flow;
    const asksCode = codeDigest !== null;
    const cookie = this.browsers.with(secret);
    return questionPage({ ...names, asksCode, token: formToken(secret, state), cookie });
  }

  /** Sends a browser to the provider if it has loaded the page and the user has typed the code. */
  async goOn(state: string, cookies: string | undefined, { token, code }: SentForm): Promise<Page> {
    const secret = this.browsers.secretsIn(cookies).find((each) => token === formToken(each, state));
    if (secret === undefined) {
      const flow = await this.database.ask(this.flows.open(digestOf(state)));
      throw flow ? agentsErrors.signInFormRefused() : agentsErrors.signInNotFound();
    }
    const typed = codeDigestOf(state, code);
    const flow = await this.database.ask(this.flows.bind(digestOf(state), typed, browserDigest(secret)));
    const profile = flow && (await this.profiles.byId(flow.profileId));
    if (!profile) throw agentsErrors.signInNotFound();
    if (flow.usedAt !== null) throw agentsErrors.signInTriesUsed();
    const isRight = flow.codeDigest === null || flow.codeDigest === typed;
    if (!isRight) throw agentsErrors.signInCodeWrong({ left: MAX_TRIES - flow.tries });
    const address = await this.providers.authorizationAddress(profile, this.requestOf(flow, state));
    return onwardPage(profile.idpName, address);
  }

  /** Exchanges the code with which the user came back for tokens. A sign-in can be completed once. */
  async complete({ state, code, error, iss }: SentBack, cookies: string | undefined): Promise<Page> {
    const flow = await this.database.ask(this.flows.use(digestOf(state)));
    const profile = flow && (await this.profiles.byId(flow.profileId));
    if (!profile) throw agentsErrors.signInNotFound();
    const isOfBrowser = this.browsers.secretsIn(cookies).some((secret) => flow.browserDigest === browserDigest(secret));
    if (!isOfBrowser) throw agentsErrors.signInOtherBrowser();
    if (!this.providers.isIssuer(profile, iss)) throw agentsErrors.signInOtherIssuer({ idp: profile.idpName });
    if (error !== undefined || code === undefined) throw agentsErrors.signInRefused({ idp: profile.idpName });
    const tokens = await this.providers.tokensFor(profile, { code, ...this.requestOf(flow, state) });
    const { profileId, userId } = flow;
    await this.database.transaction(SYSTEM, (tx) => tx.ask(this.tokens.keep({ profileId, userId }, tokens)));
    return donePage();
  }

  private isAuthorized({ id: profileId, tokensSealed, expiresAt }: ProfileOfUser, userId: Id<'user'>): boolean {
    return tokensSealed !== null && this.tokens.areUsable({ profileId, userId, tokensSealed, expiresAt });
  }

  private begin(
    profileId: Id<'authProfile'>,
    userId: Id<'user'>,
    code: string | null,
  ): { flow: NewSignInFlow; url: string } {
    const state = randomBase62(STATE_LENGTH);
    const id = digestOf(state);
    const verifierSealed = this.vault.seal(randomBase62(VERIFIER_LENGTH), verifierColumn, id);
    const expiresAt = new Date(clock.now().getTime() + OPEN_FOR_MS);
    const url = `${this.address.url()}/auth/idp/${state}`;
    const codeDigest = code === null ? null : codeDigestOf(state, code);
    return { flow: { id, profileId, userId, verifierSealed, codeDigest, expiresAt }, url };
  }

  private requestOf({ id, verifierSealed }: SignInFlowRow, state: string) {
    const verifier = this.vault.open(verifierSealed, verifierColumn, id);
    return { state, verifier, redirectUri: `${this.address.url()}/auth/idp/callback` };
  }
}

function digestOf(state: string): string {
  return createHash('sha256').update(state).digest('base64url');
}

function newCode(): string {
  return randomInt(10 ** CODE_DIGITS)
    .toString()
    .padStart(CODE_DIGITS, '0');
}

/** Includes the state, which is stored nowhere. A code alone is so short that a reader of the table could try them all. */
function codeDigestOf(state: string, typed: string): string {
  return digestOf(`${state}:${typed.replaceAll(/\s/g, '')}`);
}
