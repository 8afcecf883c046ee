import { Migration } from '@mikro-orm/migrations';

/** The LLM ledger. The module makes the partitions, one for each month. Every key begins with the project. */
export class CreateLedger extends Migration {
  override up(): void {
    this.addSql(`create sequence ledger_call_number`);
    // This table is not partitioned, because only then can a unique index ensure that a call is written once.
    this.addSql(`
      create table ledger_key (
        project_id text collate "C" not null,
        call_id text collate "C" not null,
        ts timestamptz not null,
        primary key (project_id, call_id)
      )`);
    this.addSql(`create index ledger_key_ts on ledger_key using brin (ts)`);
    // doc is the JSON of the answer except for its end, which changes. The columns are for sorting and filtering.
    this.addSql(`
      create table ledger_row (
        project_id text collate "C" not null,
        ts timestamptz not null,
        n bigint not null,
        total_tokens bigint not null,
        input_tokens integer not null,
        cached_tokens integer not null,
        completion_tokens integer not null,
        reasoning_tokens integer not null,
        latency_ms integer not null,
        payload_bytes integer not null,
        dim uuid not null,
        cost numeric not null,
        pricing "char" not null check (pricing in ('o', 't', 'u')),
        session_id text collate "C" not null,
        id text collate "C" not null,
        doc text not null
      ) partition by range (ts)`);
    this.addSql(`create index ledger_row_time on ledger_row (project_id, ts)`);
    this.addSql(`create index ledger_row_dim on ledger_row (project_id, dim, ts)`);
    this.addSql(`create index ledger_row_session on ledger_row (project_id, session_id, ts)`);
    this.addSql(`create index ledger_row_cost on ledger_row (project_id, cost, ts)`);
    this.addSql(`create index ledger_row_latency on ledger_row (project_id, latency_ms, ts)`);
    this.addSql(`create index ledger_row_tokens on ledger_row (project_id, total_tokens, ts)`);
    this.addSql(`
      create table ledger_payload (
        project_id text collate "C" not null,
        n bigint not null,
        ts timestamptz not null,
        payload text not null,
        primary key (project_id, n, ts)
      ) partition by range (ts)`);
    // Each combination of filter values is stored once; dim is its hash.
    this.addSql(`
      create table ledger_dim (
        project_id text collate "C" not null,
        dim uuid not null,
        channel text not null,
        channel_type text not null,
        source text not null,
        source_folded text not null,
        source_subtype text not null,
        status text not null,
        model text not null,
        provider text not null,
        environment text not null,
        agent_name text not null,
        primary key (project_id, dim)
      )`);
    // Sums by hour and by day, of each combination and (dim 0) of all. Writers only append; compaction adds them up.
    this.addSql(`
      create table ledger_rollup (
        project_id text collate "C" not null,
        bucket timestamptz not null,
        dim uuid not null,
        grain "char" not null check (grain in ('h', 'd')),
        is_new boolean not null,
        n bigint not null,
        input_tokens bigint not null,
        cached_tokens bigint not null,
        completion_tokens bigint not null,
        reasoning_tokens bigint not null,
        latency_ms bigint not null,
        cost numeric not null
      )`);
    this.addSql(`create index ledger_rollup_dim on ledger_rollup (project_id, grain, dim, bucket)`);
    this.addSql(`create index ledger_rollup_new on ledger_rollup (project_id) where is_new`);
    // The payloads of the project from before this time are deleted.
    this.addSql(`
      create table ledger_expiry (
        project_id text collate "C" primary key,
        payloads_before timestamptz not null
      )`);
  }
}
