import { Inject, Injectable } from '@nestjs/common';
import { databaseErrors } from '../../../platform/database/database.errors.js';
import { openTransaction } from '../../../platform/database/open-transaction.js';
import { Statements } from '../../../platform/database/statements.js';
import { WORKER_STATEMENTS } from '../../../platform/queue/worker-statements.js';
import { makeMonth, PARTITIONED } from './month.statements.js';

/** Several attempts are needed because a sweep may drop several months one after another. */
const ATTEMPTS = 5;

/**
 * Creates the monthly partitions of the ledger. Writers create the ones they need, and a job creates the next ones
 * ahead.
 */
@Injectable()
export class Partitions {
  /** Months whose partitions this process has created or found. */
  private readonly existing = new Set<string>();

  /**
   * Partitions are created on separate connections, not in the writer's transaction. They survive its rollback, and
   * other writers do not wait for it.
   */
  constructor(@Inject(WORKER_STATEMENTS) private readonly statements: Statements) {}

  /**
   * Runs work that writes calls at these times, after creating their partitions. If a sweep drops one in the meantime,
   * the work is repeated. Work within a transaction fails instead, because PostgreSQL has aborted the transaction.
   */
  async withPartitions<T>(times: readonly Date[], work: () => Promise<T>): Promise<T> {
    const attempts = openTransaction.getStore() ? 1 : ATTEMPTS;
    for (let attempt = 1; ; attempt += 1) {
      await this.ensure(times);
      try {
        return await work();
      } catch (error) {
        if (!isNoPartition(error)) throw error;
        this.existing.clear();
        if (attempt === attempts) throw databaseErrors.conflict({ cause: error });
      }
    }
  }

  async ensure(times: Iterable<Date>): Promise<void> {
    const months = new Set([...times].map((time) => time.toISOString().slice(0, 7)));
    for (const month of months) {
      if (this.existing.has(month)) continue;
      for (const table of PARTITIONED) await this.statements.ask(makeMonth(table, month));
      this.existing.add(month);
    }
  }
}

/**
 * PostgreSQL has the same code for a violated check constraint, but names the constraint then. Citus has a code of its
 * own for every failure of a row that it copies to a worker.
 */
function isNoPartition(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  const { code, constraint } = error as { code?: string; constraint?: string };
  if (code === 'XX000') return error.message.startsWith('no partition of relation');
  return code === '23514' && constraint === undefined;
}
