import { Log } from '../telemetry/log.js';
import { HandlesJob, JobHandler } from '../queue/job-handler.js';
import type { JobRun } from '../queue/job-run.js';
import { SealedTextError } from './sealed-text-error.js';
import { type RewrapData, rewrapSealed } from './crypto.jobs.js';
import { type SealedColumn, sealedColumns } from './sealed-column.js';
import { type SealedRow, SealedRows } from './sealed-rows.js';
import { Vault } from './vault.js';

const ROWS_A_BATCH = 200;

/** The progress of a run. A later attempt begins from the start and skips what is done. */
interface Progress extends Record<string, unknown> {
  rewrapped: number;
  /** The number of records that do not open. They stay as they are. */
  unreadable: number;
}

/** Wraps the data keys of all sealed columns under the new master key, while the service runs on. */
@HandlesJob(rewrapSealed)
export class RewrapSealed extends JobHandler<RewrapData> {
  constructor(
    private readonly vault: Vault,
    private readonly rows: SealedRows,
    private readonly log: Log,
  ) {
    super();
  }

  async run(job: JobRun<RewrapData>): Promise<void> {
    const { masterKey } = job.data;
    if (this.vault.sealingKey !== masterKey) {
      throw new Error(`This worker seals under master key ${this.vault.sealingKey}, not ${masterKey}`);
    }
    const progress: Progress = { rewrapped: Number(job.progress?.rewrapped ?? 0), unreadable: 0 };
    for (const column of sealedColumns()) await this.rewrapColumn(job, column, progress);
  }

  private async rewrapColumn(job: JobRun<RewrapData>, column: SealedColumn, progress: Progress): Promise<void> {
    let after: string | null = '';
    while (after !== null) {
      job.signal.throwIfAborted();
      const { rows, next } = await this.rows.batch(column, after, job.data.masterKey, ROWS_A_BATCH);
      try {
        for (const row of rows) await this.rewrapRow(column, row, progress);
      } finally {
        await job.report(progress);
      }
      after = next;
    }
  }

  private async rewrapRow(column: SealedColumn, row: SealedRow, progress: Progress): Promise<void> {
    try {
      const rewrapped = this.vault.rewrap(row.sealed, column, row.id);
      if (await this.rows.replace(column, row, rewrapped)) progress.rewrapped += 1;
    } catch (error) {
      if (!(error instanceof SealedTextError)) throw error;
      progress.unreadable += 1;
      this.log.warn({ table: column.table, column: column.column, id: row.id }, error.message);
    }
  }
}
