import { Injectable } from '@nestjs/common';
import type { Actor } from '../../kernel/actor.js';
import { AuditTrail } from '../audit/audit-trail.js';
import { Database } from '../database/database.js';
import { Jobs } from '../queue/jobs.js';
import { rewrapSealed } from './crypto.jobs.js';
import { SealedRows } from './sealed-rows.js';
import { Vault } from './vault.js';

export interface MasterKey {
  number: number;
  state: 'sealing' | 'opening' | 'missing';
  records: number;
}

export interface Rewrap {
  jobId: string;
  masterKey: number;
}

/** Shows what each master key still wraps, and moves the secrets to the newest one. */
@Injectable()
export class MasterKeysService {
  constructor(
    private readonly vault: Vault,
    private readonly rows: SealedRows,
    private readonly database: Database,
    private readonly jobs: Jobs,
    private readonly audit: AuditTrail,
  ) {}

  async list(): Promise<MasterKey[]> {
    const records = await this.rows.countByMasterKey();
    const numbers = new Set([...this.vault.keyNumbers, ...records.keys()]);
    return [...numbers]
      .sort((a, b) => a - b)
      .map((number) => ({ number, state: this.stateOf(number), records: records.get(number) ?? 0 }));
  }

  /** Adds a job that wraps under the sealing key whatever an older key wraps. One such job runs at a time. */
  rewrap(actor: Actor): Promise<Rewrap> {
    const masterKey = this.vault.sealingKey;
    return this.database.transaction(actor, async (tx) => {
      const jobId = await this.jobs.add(tx, rewrapSealed, { masterKey }, { lane: rewrapSealed.name });
      const after = { name: rewrapSealed.name, masterKey };
      this.audit.note(tx, { kind: 'job', targetId: jobId, projectId: null, change: 'created', before: null, after });
      return { jobId, masterKey };
    });
  }

  private stateOf(number: number): MasterKey['state'] {
    if (number === this.vault.sealingKey) return 'sealing';
    return this.vault.keyNumbers.includes(number) ? 'opening' : 'missing';
  }
}
