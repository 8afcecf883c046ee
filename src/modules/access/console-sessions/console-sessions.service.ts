import { Injectable } from '@nestjs/common';
import type { AdminActor } from '../../../kernel/actor.js';
import { clock } from '../../../kernel/clock.js';
import type { Id } from '../../../kernel/ids.js';
import type { Page } from '../../../kernel/page.js';
import { AdminIdentities } from '../../../platform/auth/admin-identities.js';
import { ADMIN_KEYS } from '../../../platform/auth/admin-key.identity.js';
import { ConsoleCaller } from '../../../platform/auth/console-caller.js';
import { Digests } from '../../../platform/auth/digests.js';
import { mustHaveRight } from '../../../platform/auth/permission.guard.js';
import { Database } from '../../../platform/database/database.js';
import { consoleSessionList, type ConsoleSessionsRequest } from './console-session.list.js';
import { accessErrors } from '../access.errors.js';
import { AdminKeyRepository } from '../admin-key.repository.js';
import { RevocationsService } from '../revocations.service.js';
import { ConsoleSession } from './console-session.entity.js';
import { ConsoleSessionRepository } from './console-session.repository.js';

export interface SignedIn {
  session: ConsoleSession;
  /** The secret of the cookie, which is kept nowhere. */
  secret: string;
}

/** Signing in to the console and out of it. */
@Injectable()
export class ConsoleSessionsService {
  constructor(
    private readonly database: Database,
    private readonly sessions: ConsoleSessionRepository,
    private readonly adminKeys: AdminKeyRepository,
    private readonly caller: ConsoleCaller,
    private readonly digests: Digests,
    private readonly identities: AdminIdentities,
    private readonly revocations: RevocationsService,
  ) {}

  async signIn(actor: AdminActor, userAgent: string): Promise<SignedIn> {
    if (!this.mayBegin(actor)) throw accessErrors.consoleNeedsKey();
    const secret = this.caller.cookie.newSecret();
    const digest = this.digests.of(secret);
    return this.database.transaction(actor, async (tx) => {
      const adminKey = actor.keyId === null ? null : await this.adminKeys.byId(actor.keyId);
      const identity = actor.person?.identity ?? ADMIN_KEYS;
      const basisDigest = actor.keyId === null ? this.identities.basisDigest(identity) : null;
      const session = new ConsoleSession({ actor, adminKey, basisDigest, digest, userAgent });
      tx.em.persist(session);
      return { session, secret };
    });
  }

  /** Whether the caller has an administration key, or is a person whose identity the console offers. */
  private mayBegin({ consoleSessionId, person }: AdminActor): boolean {
    if (consoleSessionId) return false;
    return !person || this.identities.inConsole().some(({ name }) => name === person.identity);
  }

  list(request: ConsoleSessionsRequest): Promise<Page<ConsoleSession>> {
    return consoleSessionList.page(this.sessions, { revokedAt: null, expiresAt: { $gt: clock.now() } }, request);
  }

  /** Returns when no process works for the session any more and its row is gone. */
  async revoke(actor: AdminActor, id: Id<'consoleSession'>): Promise<void> {
    await this.database.transaction(actor, async (tx) => {
      const session = await this.sessions.byId(id);
      const isOwn = session?.isOf(actor);
      // Roles in single projects do not give access to the list of sessions, so they do not show whether one exists.
      if (!session || (!isOwn && actor.role === null)) throw accessErrors.consoleSessionNotFound();
      if (!isOwn) mustHaveRight(actor, 'administer');
      await this.revocations.begin(tx, session);
    });
    await this.revocations.finish([id]);
  }
}
