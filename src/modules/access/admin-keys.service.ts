import { Injectable } from '@nestjs/common';
import type { Actor } from '../../kernel/actor.js';
import type { Id } from '../../kernel/ids.js';
import { newKeyValue } from '../../kernel/key-format.js';
import type { Page, PageRequest } from '../../kernel/page.js';
import type { AdminRole } from '../../kernel/roles.js';
import { Digests } from '../../platform/auth/digests.js';
import { Database } from '../../platform/database/database.js';
import { accessErrors } from './access.errors.js';
import { AdminKey } from './admin-key.entity.js';
import { AdminKeyRepository } from './admin-key.repository.js';
import { ConsoleSessionRepository } from './console-sessions/console-session.repository.js';
import { RevocationsService } from './revocations.service.js';

export interface NewAdminKey {
  key: AdminKey;
  /** The caller sees it once, and it is not stored. */
  value: string;
}

/** Manages named administration keys, which exist beside the one in the settings. */
@Injectable()
export class AdminKeysService {
  constructor(
    private readonly database: Database,
    private readonly keys: AdminKeyRepository,
    private readonly sessions: ConsoleSessionRepository,
    private readonly digests: Digests,
    private readonly revocations: RevocationsService,
  ) {}

  create(actor: Actor, name: string, role: AdminRole): Promise<NewAdminKey> {
    return this.database.transaction(actor, async (tx) => {
      const value = newKeyValue('swa_');
      const key = new AdminKey(name, role, this.digests.of(value));
      tx.em.persist(key);
      return { key, value };
    });
  }

  list(request: PageRequest): Promise<Page<AdminKey>> {
    return this.keys.page(request);
  }

  async read(adminKeyId: Id<'adminKey'>): Promise<AdminKey> {
    return found(await this.keys.liveById(adminKeyId));
  }

  rename(actor: Actor, adminKeyId: Id<'adminKey'>, name: string): Promise<AdminKey> {
    return this.database.transaction(actor, async (tx) => {
      await tx.ask(this.keys.lockForChange(adminKeyId));
      const key = await this.read(adminKeyId);
      key.name = name;
      return key;
    });
  }

  async revoke(actor: Actor, adminKeyId: Id<'adminKey'>): Promise<void> {
    const sessions = await this.database.transaction(actor, async (tx) => {
      await this.revocations.begin(tx, found(await this.keys.byId(adminKeyId)));
      const ofKey = await this.sessions.ofAdminKey(adminKeyId);
      for (const session of ofKey) await this.revocations.begin(tx, session);
      return ofKey;
    });
    await this.revocations.finish([...sessions.map(({ id }) => id), adminKeyId]);
  }
}

function found(key: AdminKey | null): AdminKey {
  if (!key) throw accessErrors.adminKeyNotFound();
  return key;
}
