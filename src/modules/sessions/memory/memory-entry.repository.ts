import { EntityRepository } from '@mikro-orm/postgresql';
import type { Id } from '../../../kernel/ids.js';
import { columnsOf, selectedRow } from '../../../platform/database/columns.js';
import { planned, raw, sql } from '../../../platform/database/sql.js';
import { rows, type Statement, write } from '../../../platform/database/statement.js';
import { MemoryEntry, type MemoryEntryRow } from './memory-entry.entity.js';

export class MemoryEntryRepository extends EntityRepository<MemoryEntry> {
  /** The order names the table, because `turn` alone would be the selected column, which is converted to a number. */
  upTo(sessionId: Id<'session'>, turn: number): Statement<MemoryEntryRow[]> {
    return rows(
      planned`select ${columnsOf(MemoryEntry)} from session_memory
              where session_id = ${sessionId} and turn <= ${turn} order by session_memory.turn, step`,
    );
  }

  ofSession(sessionId: Id<'session'>): Statement<MemoryEntryRow[]> {
    return this.upTo(sessionId, Number.MAX_SAFE_INTEGER);
  }

  ofTurn(sessionId: Id<'session'>, turn: number): Statement<MemoryEntryRow[]> {
    return rows(
      planned`select ${columnsOf(MemoryEntry)} from session_memory
              where session_id = ${sessionId} and turn = ${turn} order by step`,
    );
  }

  /** Writes nothing if the session has ended. Locks the session, so that no memory is written after its deletion. */
  add({ sessionId, ...entry }: MemoryEntryRow): Statement<void> {
    const row = selectedRow(MemoryEntry, { ...entry, sessionId: raw('id') });
    return write(planned`
      with live as (select id from session where id = ${sessionId} and ended_at is null for share)
      insert into session_memory ${row} from live`).taking('session');
  }

  /**
   * Writes an entry without locking the session, for a statement that also updates the session. PostgreSQL would skip
   * the lock of a row that the same statement has updated, and the entry with it.
   */
  addInLocked({ sessionId, ...entry }: MemoryEntryRow): Statement<void> {
    const row = selectedRow(MemoryEntry, { ...entry, sessionId: raw('id') });
    return write(planned`insert into session_memory ${row} from session where id = ${sessionId} and ended_at is null`);
  }

  deleteUpTo(sessionId: Id<'session'>, lastTurn: number): Statement<void> {
    return write(sql`delete from session_memory where session_id = ${sessionId} and turn <= ${lastTurn}`);
  }

  deleteOfSession(sessionId: Id<'session'>): Statement<void> {
    return write(sql`delete from session_memory where session_id = ${sessionId}`);
  }
}
