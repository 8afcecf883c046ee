import { Injectable } from '@nestjs/common';
import { actorId, type KeyActor } from '../../../kernel/actor.js';
import { clock } from '../../../kernel/clock.js';
import { idOfNames, toId } from '../../../kernel/ids.js';
import { PERMISSION_NAMES, withImplied } from '../../../kernel/permissions.js';
import { hasRight } from '../../../kernel/roles.js';
import { AdminKeyStrategy } from '../../../platform/auth/admin-key.strategy.js';
import { ConsoleDirectory, type KnownConsoleSession } from '../../../platform/auth/console-directory.js';
import { Database } from '../../../platform/database/database.js';
import { TenancyService } from '../../tenancy/tenancy.service.js';
import { rolesOf } from './console-session.entity.js';
import { ConsoleSessionRepository } from './console-session.repository.js';
import { OidcClient } from './oidc/oidc-client.js';

/** Answers the questions of platform/auth about console sessions. */
@Injectable()
export class AccessConsoleDirectory extends ConsoleDirectory {
  constructor(
    private readonly database: Database,
    private readonly sessions: ConsoleSessionRepository,
    private readonly tenancy: TenancyService,
    private readonly adminKeys: AdminKeyStrategy,
    private readonly oidc: OidcClient,
  ) {
    super();
  }

  async find(digest: string): Promise<KnownConsoleSession | null> {
    const session = await this.database.ask(this.sessions.byDigest(digest, clock.now()));
    if (!session) return null;
    const { id, adminKeyId: keyId, name, subject, settingsKeyDigest } = session;
    const settings = subject === null ? this.adminKeys.settingsKeyDigest() : this.oidc.digest();
    if (keyId === null && settingsKeyDigest !== settings) return null;
    const person = subject === null ? {} : { subject };
    return { id, actor: { kind: 'admin', keyId, name, ...rolesOf(session), ...person, consoleSessionId: id } };
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
}
