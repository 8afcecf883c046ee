import { Injectable } from '@nestjs/common';
import type { Actor } from '../../kernel/actor.js';
import { type Id, toId } from '../../kernel/ids.js';
import { newKeyValue } from '../../kernel/key-format.js';
import type { Page } from '../../kernel/page.js';
import { authErrors } from '../../platform/auth/auth.errors.js';
import { Digests } from '../../platform/auth/digests.js';
import { onForeignKey } from '../../platform/database/database.errors.js';
import { Database } from '../../platform/database/database.js';
import { adminKeyList, type AdminKeysRequest } from './admin-key.list.js';
import { TenancyService } from '../tenancy/tenancy.service.js';
import { accessErrors } from './access.errors.js';
import { AdminKey } from './admin-key.entity.js';
import { AdminKeyRepository } from './admin-key.repository.js';
import type { CreateAdminKey } from './admin-keys.admin.schema.js';
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
    private readonly tenancy: TenancyService,
  ) {}

  create(actor: Actor, { name, role, projectId }: CreateAdminKey): Promise<NewAdminKey> {
    return this.database.transaction(actor, async (tx) => {
      const value = newKeyValue('swa_');
      const project = projectId === undefined ? null : await this.tenancy.project(toId('project', projectId));
      const key = new AdminKey(name, role, project, this.digests.of(value));
      tx.em.persist(key);
      await tx.em.flush().catch(onForeignKey(authErrors.projectNotFound));
      return { key, value };
    });
  }

  list(request: AdminKeysRequest): Promise<Page<AdminKey>> {
    return adminKeyList.page(this.keys, { revokedAt: null }, request);
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
