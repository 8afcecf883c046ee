import { Injectable } from '@nestjs/common';
import type { SlipwayError } from '../../kernel/errors.js';
import type { Id } from '../../kernel/ids.js';
import { Settings } from '../../platform/config/settings.js';
import { Database } from '../../platform/database/database.js';
import type { Statement } from '../../platform/database/statement.js';
import type { Transaction } from '../../platform/database/transaction.js';
import { filesErrors } from './files.errors.js';
import { ProjectStorageRepository } from './project-storage.repository.js';

const GIB = 1024 ** 3;

/** Enforces the limit of what a project may store. */
@Injectable()
export class StorageQuota {
  readonly limit: number;

  constructor(
    { PROJECT_STORAGE_GIB: gib }: Settings,
    private readonly database: Database,
    private readonly stored: ProjectStorageRepository,
  ) {
    this.limit = gib === 0 ? Number.MAX_SAFE_INTEGER : Math.floor(gib * GIB);
  }

  /** Reserves bytes, or refuses if there is no room. Concurrent transactions of a project wait for each other. */
  reserve(projectId: Id<'project'>, bytes: number): Statement<void> {
    return this.stored.reserve(projectId, bytes, this.limit).as((hadRoom) => {
      if (!hadRoom) throw this.reached();
    });
  }

  reached(): SlipwayError {
    return filesErrors.quotaReached({ limit: this.limit });
  }

  release(tx: Transaction, projectId: Id<'project'>, bytes: number): void {
    tx.defer(this.stored.release(projectId, bytes));
  }

  async useOf(projectId: Id<'project'>) {
    const use = await this.database.ask(this.stored.useOf(projectId));
    return { ...use, limitBytes: this.limit === Number.MAX_SAFE_INTEGER ? null : this.limit };
  }
}
