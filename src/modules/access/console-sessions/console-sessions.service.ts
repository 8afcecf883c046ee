import { Injectable } from '@nestjs/common';
import type { AdminActor } from '../../../kernel/actor.js';
import { clock } from '../../../kernel/clock.js';
import type { Id } from '../../../kernel/ids.js';
import type { Page } from '../../../kernel/page.js';
import { AdminKeyStrategy } from '../../../platform/auth/admin-key.strategy.js';
import { ConsoleCaller } from '../../../platform/auth/console-caller.js';
import { Digests } from '../../../platform/auth/digests.js';
import { mustHaveRight } from '../../../platform/auth/permission.guard.js';
import { Database } from '../../../platform/database/database.js';
import type { Transaction } from '../../../platform/database/transaction.js';
import { consoleSessionList, type ConsoleSessionsRequest } from './console-session.list.js';
import { accessErrors } from '../access.errors.js';
import { AdminKeyRepository } from '../admin-key.repository.js';
import { RevocationsService } from '../revocations.service.js';
import { ConsoleSession, type NewConsoleSession, type Person } from './console-session.entity.js';
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
    private readonly settingsKey: AdminKeyStrategy,
    private readonly revocations: RevocationsService,
  ) {}

  async signIn(actor: AdminActor, userAgent: string): Promise<SignedIn> {
    if (actor.consoleSessionId) throw accessErrors.consoleNeedsKey();
    return this.database.transaction(actor, async (tx) => {
      const adminKey = actor.keyId === null ? null : await this.adminKeys.byId(actor.keyId);
      const settingsKeyDigest = actor.keyId === null ? this.settingsKey.settingsKeyDigest() : null;
      return this.begin(tx, { adminKey, person: null, settingsKeyDigest, userAgent });
    });
  }

  /** Signs in a person, whom the OpenID Connect provider of these settings has named. */
  signInPerson(person: Person, settingsKeyDigest: string, userAgent: string): Promise<SignedIn> {
    const actor: AdminActor = { kind: 'admin', keyId: null, ...person };
    return this.database.transaction(actor, async (tx) =>
      this.begin(tx, { adminKey: null, person, settingsKeyDigest, userAgent }),
    );
  }

  private begin(tx: Transaction, properties: Omit<NewConsoleSession, 'digest'>): SignedIn {
    const secret = this.caller.cookie.newSecret();
    const session = new ConsoleSession({ ...properties, digest: this.digests.of(secret) });
    tx.em.persist(session);
    return { session, secret };
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
