import { UniqueConstraintViolationException } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { newKeyValue } from '../../kernel/key-format.js';
import { type Page, toPage } from '../../kernel/page.js';
import type { Actor } from '../../platform/auth/actor.js';
import { Digests } from '../../platform/auth/digests.js';
import { KeyRevocations } from '../../platform/auth/key-revocations.js';
import { Database } from '../../platform/database/database.js';
import { accessErrors } from './access.errors.js';
import { AdminKey } from './admin-key.entity.js';
import { AdminKeyRepository } from './admin-key.repository.js';

/** Administration keys with names, beside the one in the settings. */
@Injectable()
export class AdminKeysService {
  constructor(
    private readonly database: Database,
    private readonly keys: AdminKeyRepository,
    private readonly digests: Digests,
    private readonly revocations: KeyRevocations,
  ) {}

  create(actor: Actor, name: string): Promise<{ key: AdminKey; value: string }> {
    return this.database.transaction(actor, async (em) => {
      const value = newKeyValue('swa_');
      const key = new AdminKey(name, this.digests.of(value));
      em.persist(key);
      await em.flush().catch(refuseDuplicateName);
      return { key, value };
    });
  }

  async list(cursor: string | undefined, limit: number): Promise<Page<AdminKey>> {
    return toPage(await this.keys.listAfter(cursor, limit), limit);
  }

  async revoke(actor: Actor, adminKeyId: string): Promise<void> {
    const key = await this.database.transaction(actor, async () => {
      const found = await this.keys.byId(adminKeyId);
      if (!found) throw accessErrors.adminKeyNotFound();
      found.revoke();
      return found;
    });
    await this.revocations.finish([key.id]);
  }
}

function refuseDuplicateName(error: unknown): never {
  throw error instanceof UniqueConstraintViolationException ? accessErrors.duplicateAdminKeyName() : error;
}
