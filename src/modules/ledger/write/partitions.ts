import { Inject, Injectable } from '@nestjs/common';
import { databaseErrors } from '../../../platform/database/database.errors.js';
import { openTransaction } from '../../../platform/database/open-transaction.js';
import { Statements } from '../../../platform/database/statements.js';
import { WORKER_STATEMENTS } from '../../../platform/queue/worker-statements.js';
import { makeMonth, PARTITIONED } from './month.statements.js';

/** Months are dropped one after the other. */
const ATTEMPTS = 5;

/** Makes the months of the ledger. A writer makes sure of its own; a job makes the next ones before they are needed. */
@Injectable()
export class Partitions {
  /** Months whose partitions this process has seen. */
  private readonly seen = new Set<string>();

  /** On connections of their own: a month stays made, and nobody waits for it, whatever becomes of its writer. */
  constructor(@Inject(WORKER_STATEMENTS) private readonly statements: Statements) {}

  /**
   * Work that writes at these times. Should one of its months have been dropped meanwhile, it is made and done again, but
   * for work within a transaction, of which nothing is left.
   */
  async writingAt<T>(times: readonly Date[], work: () => Promise<T>): Promise<T> {
    const attempts = openTransaction.getStore() ? 1 : ATTEMPTS;
    for (let attempt = 1; ; attempt += 1) {
      await this.ensure(times);
      try {
        return await work();
      } catch (error) {
        if (!isNoPartition(error)) throw error;
        this.seen.clear();
        if (attempt === attempts) throw databaseErrors.conflict({ cause: error });
      }
    }
  }

  async ensure(times: Iterable<Date>): Promise<void> {
    const months = new Set([...times].map((time) => time.toISOString().slice(0, 7)));
    for (const month of months) {
      if (this.seen.has(month)) continue;
      for (const table of PARTITIONED) await this.statements.ask(makeMonth(table, month));
      this.seen.add(month);
    }
  }
}

/** A row that breaks a rule of its table has the same code, and names the rule. */
function isNoPartition(error: unknown): error is Error {
  const { code, constraint } = error as { code?: string; constraint?: string };
  return error instanceof Error && code === '23514' && constraint === undefined;
}
