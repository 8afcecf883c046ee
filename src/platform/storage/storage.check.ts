import { ChecksReadiness, ReadinessCheck, type ReadinessFinding } from '../readiness/readiness-check.js';
import { Storage } from './storage.js';

/** Most requests need no files, so the process goes on serving them without the storage. */
@ChecksReadiness({ name: 'storage', failure: 'cannot be used', isDispensable: true })
export class StorageCheck extends ReadinessCheck {
  constructor(private readonly storage: Storage) {
    super();
  }

  async check(): Promise<ReadinessFinding> {
    await this.storage.check();
    return { status: 'up' };
  }
}
