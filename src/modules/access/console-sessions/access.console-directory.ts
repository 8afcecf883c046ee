import { Injectable } from '@nestjs/common';
import { actorId, type KeyActor } from '../../../kernel/actor.js';
import { clock } from '../../../kernel/clock.js';
import { idOfNames, toId } from '../../../kernel/ids.js';
import { PERMISSION_NAMES, withImplied } from '../../../kernel/permissions.js';
import { hasRight } from '../../../kernel/roles.js';
import { AdminIdentities } from '../../../platform/auth/admin-identities.js';
import { ADMIN_KEYS } from '../../../platform/auth/admin-key.identity.js';
import { ConsoleDirectory, type KnownConsoleSession } from '../../../platform/auth/console-directory.js';
import { Database } from '../../../platform/database/database.js';
import { TenancyService } from '../../tenancy/tenancy.service.js';
import { personOf, rolesOf } from './console-session.entity.js';
import { ConsoleSessionRepository } from './console-session.repository.js';

/** Answers the questions of platform/auth about console sessions. */
@Injectable()
export class AccessConsoleDirectory extends ConsoleDirectory {
  constructor(
    private readonly database: Database,
    private readonly sessions: ConsoleSessionRepository,
    private readonly tenancy: TenancyService,
    private readonly identities: AdminIdentities,
  ) {
    super();
  }

  async find(digest: string): Promise<KnownConsoleSession | null> {
    const session = await this.database.ask(this.sessions.byDigest(digest, clock.now()));
    if (!session) return null;
    const { id, adminKeyId: keyId, name, basisDigest } = session;
    const person = personOf(session);
    if (keyId === null && !this.isBasis(basisDigest, person?.identity ?? ADMIN_KEYS)) return null;
    const actor = { kind: 'admin' as const, keyId, name, ...rolesOf(session), ...(person && { person }) };
    return { id, actor: { ...actor, consoleSessionId: id } };
  }

  async inApp({ id, actor }: KnownConsoleSession, appId: string): Promise<KeyActor | null> {
    const app = await this.tenancy.findApp(toId('app', appId));
    if (!app || !hasRight(actor, 'read', app.project.id)) return null;
    const { role, projectRoles } = actor;
    return {
      kind: 'key',
      keyId: id,
      keyName: `${actor.name ?? 'admin'} in the console`,
      valueDigest: '',
      scopeId: idOfNames('scope', 'console', app.id),
      appId: app.id,
      projectId: app.project.id,
      expiresAt: null,
      granted: PERMISSION_NAMES,
      effective: withImplied(PERMISSION_NAMES),
      ceiling: null,
      administrator: { id: actorId(actor), role, projectRoles },
    };
  }

  /** Whether the settings with which a session began are still those of its identity. */
  private isBasis(digest: string | null, identity: string): boolean {
    return digest !== null && digest === this.identities.basisDigest(identity);
  }
}
