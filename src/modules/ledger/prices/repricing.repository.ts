import { EntityRepository } from '@mikro-orm/postgresql';
import type { Id } from '../../../kernel/ids.js';
import { columnsOf } from '../../../platform/database/columns.js';
import { raw, sql } from '../../../platform/database/sql.js';
import { exists, row, type Statement, theRow, write } from '../../../platform/database/statement.js';
import type { CallRow } from '../call.entity.js';
import { addToRollup } from '../rollup/rollup.statements.js';
import { Repricing, type RepricingRow } from './repricing.entity.js';

/** A call whose cost has changed. */
export interface Repriced extends Pick<CallRow, 'number' | 'time' | 'dim' | 'cost' | 'pricing' | 'doc'> {
  oldCost: number;
}

export class RepricingRepository extends EntityRepository<Repricing> {
  byId(projectId: Id<'project'>, repricingId: Id<'repricing'>): Promise<Repricing | null> {
    return this.findOne({ id: repricingId, project: projectId });
  }

  /** Returns the repricing, or null if it has ended. */
  inProgress(repricingId: string): Statement<RepricingRow | null> {
    return row(
      sql`select ${columnsOf(Repricing)} from ledger_repricing where id = ${repricingId} and state = 'IN_PROGRESS'`,
    );
  }

  /** Locks the repricing, so that no other transaction advances or ends it until the commit. */
  lock(repricingId: string): Statement<void> {
    return write(sql`select from ledger_repricing where id = ${repricingId} for no key update`);
  }

  fail(repricingId: string): Statement<void> {
    return write(sql`
      update ledger_repricing set state = 'FAILED', finished_at = now()
      where id = ${repricingId} and state = 'IN_PROGRESS'`);
  }

  countChanged(repricingId: string, changed: number): Statement<void> {
    return write(sql`update ledger_repricing set changed = changed + ${changed} where id = ${repricingId}`);
  }

  /**
   * Advances the repricing past the calls that were examined, or ends it if there were none. Answers false if another
   * process has advanced it in the meantime.
   */
  advance({ id, afterNumber }: RepricingRow, examined: readonly CallRow[]): Statement<boolean> {
    const last = examined.at(-1);
    return exists(sql`
      update ledger_repricing
      set after_time = coalesce(${last?.time ?? null}::timestamptz, after_time),
          after_number = coalesce(${last?.number ?? null}::bigint, after_number),
          looked_at = looked_at + ${examined.length},
          state = case when ${examined.length} = 0 then 'SUCCESS' else state end,
          finished_at = case when ${examined.length} = 0 then now() else finished_at end
      where id = ${id} and state = 'IN_PROGRESS' and after_number is not distinct from ${afterNumber}::bigint
      returning id`);
  }

  /**
   * Writes new costs to calls, adds the differences to the rollup, and returns how many calls it changed. A call is
   * skipped if it was deleted, or if its cost or its filter values have changed since it was read.
   */
  reprice(projectId: string, changes: readonly Repriced[]): Statement<number> {
    const column = <T>(read: (call: Repriced) => T) => changes.map(read);
    return theRow<{ changed: number }>(sql`
      with repriced as (
        update ledger_row r set cost = given.cost, pricing = given.pricing, doc = given.doc
        from unnest(
          ${column(({ number }) => number)}::bigint[], ${column(({ time }) => time)}::timestamptz[],
          ${column(({ dim }) => dim)}::uuid[],
          ${column(({ oldCost }) => oldCost)}::numeric[], ${column(({ cost }) => cost)}::numeric[],
          ${column(({ pricing }) => pricing)}::"char"[], ${column(({ doc }) => doc)}::text[]
        ) as given (n, ts, dim, old_cost, cost, pricing, doc)
        where r.project_id = ${projectId} and r.n = given.n and r.ts = given.ts
          and r.cost = given.old_cost and r.dim = given.dim
        returning r.ts, r.dim, given.cost - given.old_cost as difference),
      sums as (${addToRollup(projectId, sql`repriced`, raw('0, 0, 0, 0, 0, 0, sum(difference)'))})
      select count(*)::integer as changed from repriced`)
      .as(({ changed }) => changed)
      .taking('ledger');
  }
}
