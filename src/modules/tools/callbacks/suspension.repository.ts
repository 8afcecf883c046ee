import { EntityRepository } from '@mikro-orm/postgresql';
import { clock } from '../../../kernel/clock.js';
import type { Id } from '../../../kernel/ids.js';
import { columnsOf, newRow } from '../../../platform/database/columns.js';
import { type Sql, sql } from '../../../platform/database/sql.js';
import { row, type Statement, write } from '../../../platform/database/statement.js';
import { Suspension, type SuspensionRow, type SuspensionState } from './suspension.entity.js';

type NewSuspension = Pick<SuspensionRow, 'id' | 'runId' | 'number' | 'secretSealed'>;

export class SuspensionRepository extends EntityRepository<Suspension> {
  /** Adds a suspension, unless the run has one of that number. */
  add(suspension: NewSuspension): Statement<void> {
    const open: SuspensionRow = {
      ...suspension,
      state: 'open',
      payload: null,
      expiresAt: null,
      createdAt: clock.now(),
    };
    return write(sql`insert into tool_suspension ${newRow(Suspension, open)} on conflict (run_id, number) do nothing`);
  }

  byId(suspensionId: Id<'suspension'>): Statement<SuspensionRow | null> {
    return this.one(sql`id = ${suspensionId}`);
  }

  ofRun(runId: Id<'toolRun'>, number: number): Statement<SuspensionRow | null> {
    return this.one(sql`run_id = ${runId} and number = ${number}`);
  }

  /** Has to be read under the lock of the run, which a callback and the expiry of its time both take. */
  stateOf(suspensionId: Id<'suspension'>): Statement<SuspensionState | null> {
    return row<Pick<SuspensionRow, 'state'>>(sql`select state from tool_suspension where id = ${suspensionId}`).as(
      (found) => found?.state ?? null,
    );
  }

  setExpiry(suspensionId: Id<'suspension'>, until: Date): Statement<void> {
    return write(sql`update tool_suspension set expires_at = ${until} where id = ${suspensionId}`);
  }

  receive(suspensionId: Id<'suspension'>, payload: string): Statement<void> {
    return write(sql`update tool_suspension set state = 'received', payload = ${payload} where id = ${suspensionId}`);
  }

  expire(suspensionId: Id<'suspension'>): Statement<void> {
    return write(sql`update tool_suspension set state = 'expired' where id = ${suspensionId}`);
  }

  private one(which: Sql): Statement<SuspensionRow | null> {
    return row(sql`select ${columnsOf(Suspension)} from tool_suspension where ${which}`);
  }
}
