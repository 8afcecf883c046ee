import { Migration } from '@mikro-orm/migrations';

const DROPPED = [
  'session_idle',
  'session_age',
  'trace_age',
  'observation_age',
  'webhook_message_ended',
  'webhook_delivery_ended',
  'tool_run_ended',
  'assist_conversation_age',
  'run_alive',
  'run_trace',
];

/**
 * Rows of these tables change soon after they are made, in columns without an index. The new version then stays in the
 * same page.
 */
const CHANGED_SOON = ['session', 'run', 'trace'];

/**
 * A message wrote about a hundred index entries. Old rows are now found project by project, by the index that begins
 * with the project. Idle sessions are found by the ten minutes of their last activity, and unfinished runs by an index
 * of their own. Most changes of a session, a run or a trace therefore write no index entry.
 */
export class WriteFewerIndexEntries extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('alter table session add column if not exists active_part timestamptz not null default now()');
    // An index that is built concurrently waits for the running transactions.
    this.addSql('set lock_timeout = 0');
    this.addSql('drop index concurrently if exists session_open');
    this.addSql('create index concurrently session_open on session (active_part) where ended_at is null');
    this.addSql('drop index concurrently if exists run_unfinished');
    this.addSql('create index concurrently run_unfinished on run (session_id) where finished_at is null');
    for (const index of DROPPED) this.addSql(`drop index concurrently if exists ${index}`);
    this.addSql('reset lock_timeout');
    for (const table of CHANGED_SOON) this.addSql(`alter table ${table} set (fillfactor = 80)`);
  }
}
