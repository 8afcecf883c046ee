import { Injectable } from '@nestjs/common';
import { clock } from '../../kernel/clock.js';
import type { Id } from '../../kernel/ids.js';
import { columns, planned, sql } from '../../platform/database/sql.js';
import { Statements } from '../../platform/database/statements.js';
import { UNSYNCED } from '../../platform/database/unsynced.js';
import type { DockAction, DockJobType, DockSubject } from './dock.port.js';

/** What of its job an attempt has to know. */
export interface DockAttempt extends DockSubject<unknown> {
  jobType: DockJobType;
  action: DockAction;
  /** Which it is, from 1. */
  number: number;
}

const ATTEMPT = columns<DockAttempt>({
  dockJobId: 'id',
  projectId: 'project_id',
  targetId: 'target_id',
  jobType: 'job_type',
  action: 'action',
  data: 'data',
  number: 'attempts',
});

/**
 * What of a dock job is written while it runs: outside of its transactions, and no part of the audit. A crash of the
 * database may take it back: then there is one attempt more.
 */
@Injectable()
export class DockAttempts {
  constructor(private readonly statements: Statements) {}

  /** Counts the attempt that begins. Nothing where the job has ended. */
  async begin(dockJobId: Id<'dockJob'>): Promise<DockAttempt | null> {
    const [begun] = await this.statements.run<DockAttempt>(
      planned`update dock_job set attempts = attempts + 1, started_at = coalesce(started_at, ${clock.now()})
              from ${UNSYNCED} where id = ${dockJobId} and status = 'IN_PROGRESS' returning ${ATTEMPT}`,
    );
    return begun ?? null;
  }

  /** As if that attempt had not been. */
  async forgive(dockJobId: Id<'dockJob'>, attempt: number): Promise<void> {
    await this.statements.run(
      sql`update dock_job set attempts = attempts - 1 where id = ${dockJobId} and attempts = ${attempt}`,
    );
  }

  /** Nothing where the job has ended, or another attempt has begun. */
  async note(dockJobId: Id<'dockJob'>, attempt: number, percentage: number, stage: string): Promise<void> {
    await this.statements.run(
      planned`update dock_job set percentage_complete = ${percentage}, stage = ${stage}
              from ${UNSYNCED} where id = ${dockJobId} and attempts = ${attempt} and status = 'IN_PROGRESS'`,
    );
  }
}
