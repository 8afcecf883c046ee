import { selectedRow } from '../../../platform/database/columns.js';
import { planned, raw, type Sql, sql } from '../../../platform/database/sql.js';
import { TextArray } from '../../../platform/database/text-array.js';
import { Call } from '../call.entity.js';
import { addToRollup, CALLS_ADDED } from '../rollup/rollup.statements.js';
import type { Dim, StoredCall } from './stored-call.js';

/**
 * Writes a batch in one statement, and returns the `callId`s of the calls that were new.
 *
 * - `ledger_key` decides which calls are new; its unique index makes a call that is known a duplicate.
 * - The new calls are written as rows and payloads, with their combinations of filter values and their sums in the
 *   rollup.
 * - Keys and combinations are inserted in order, so that two concurrent batches cannot deadlock.
 * - `before` is another write that returns rows. Counting its rows first makes it take its locks before the ledger's.
 */
export function insertCalls(projectId: string, calls: readonly StoredCall[], dims: readonly Dim[], before?: Sql): Sql {
  return planned`
    with ${before ? sql`before as (${before}), ` : raw('')}given as (
      ${given(calls)}${before ? raw(' where (select count(*) from before) >= 0') : raw('')}),
    policy as (
      select exists (select from ledger_policy where project_id = ${projectId} and payloads = 'drop') as drops,
             coalesce((select payloads_before from ledger_expiry where project_id = ${projectId}), '-infinity') as due),
    known as (
      insert into ledger_key (project_id, call_id, ts)
      select ${projectId}, call_id, ts from given order by call_id collate "C"
      on conflict do nothing returning call_id),
    added as (
      select given.*, nextval('ledger_call_number') as n, case when drops or ts < due then 0 else given_bytes end as payload_bytes
      from given join known using (call_id) cross join policy),
    inserted as (${insertRows(projectId, sql`added`)}),
    payloads as (${insertPayloads(projectId, calls, sql`added`)}),
    dims as (${insertDims(projectId, dims)}),
    sums as (${addToRollup(projectId, sql`added`, CALLS_ADDED)})
    select call_id as "callId" from known`;
}

/** Writes rows `added`, the new calls with their numbers. */
export function insertRows(projectId: string, added: Sql): Sql {
  return sql`
    insert into ledger_row ${callAdded(projectId)} from ${added}`;
}

export function insertPayloads(projectId: string, calls: readonly StoredCall[], added: Sql): Sql {
  return sql`
    insert into ledger_payload (project_id, n, ts, payload)
    select ${projectId}, n, ts, payload
    from (${payloads(calls)}) as payload_of join ${added} using (call_id) where payload_bytes > 0`;
}

/** Maps each column of `ledger_row` to its expression over `added`. */
function callAdded(projectId: string): Sql {
  return selectedRow(Call, {
    projectId: sql`${projectId}`,
    number: raw('n'),
    time: raw('ts'),
    totalTokens: raw('input_tokens + completion_tokens + reasoning_tokens'),
    inputTokens: raw('input_tokens'),
    cachedTokens: raw('cached_tokens'),
    completionTokens: raw('completion_tokens'),
    reasoningTokens: raw('reasoning_tokens'),
    latencyMs: raw('latency_ms'),
    payloadBytes: raw('payload_bytes'),
    dim: raw('dim'),
    cost: raw('cost'),
    pricing: raw('pricing'),
    sessionId: raw('session_id'),
    id: raw('id_head || n'),
    doc: raw('doc_head || n || doc_tail'),
    timeToFirstTokenMs: raw('first_token_ms'),
  });
}

/** Sends the calls as one array for each column, so that the statement is the same for any number of calls. */
export function given(calls: readonly StoredCall[]): Sql {
  const column = <T>(read: (call: StoredCall) => T) => calls.map(read);
  return sql`
    select * from unnest(
      ${column(({ callId }) => callId)}::text[], ${column(({ time }) => time.toISOString())}::timestamptz[],
      ${column(({ sessionId }) => sessionId)}::text[], ${column(({ dim }) => dim.dim)}::uuid[],
      ${column(({ cost }) => cost.amount)}::numeric[], ${column(({ cost }) => cost.pricing)}::"char"[],
      ${column(({ latencyMs }) => latencyMs)}::integer[],
      ${column(({ timeToFirstTokenMs }) => timeToFirstTokenMs)}::integer[],
      ${column(({ inputTokens }) => inputTokens)}::bigint[],
      ${column(({ cachedTokens }) => cachedTokens)}::bigint[],
      ${column(({ completionTokens }) => completionTokens)}::bigint[],
      ${column(({ reasoningTokens }) => reasoningTokens)}::bigint[],
      ${column(({ idBeforeNumber }) => idBeforeNumber)}::text[],
      ${column(({ jsonBeforeNumber }) => jsonBeforeNumber)}::text[],
      ${column(({ jsonAfterNumber }) => jsonAfterNumber)}::text[],
      ${column(({ payload }) => Buffer.byteLength(payload ?? ''))}::integer[]
    ) as call (call_id, ts, session_id, dim, cost, pricing, latency_ms, first_token_ms, input_tokens,
               cached_tokens, completion_tokens, reasoning_tokens, id_head, doc_head, doc_tail, given_bytes)`;
}

/**
 * Sends the payloads apart from the other columns: they may have 64 MiB, and every step of the statement would copy
 * them.
 */
function payloads(calls: readonly StoredCall[]): Sql {
  const withPayload = calls.flatMap(({ callId, payload }) => (payload === null ? [] : [{ callId, payload }]));
  const texts = new TextArray(withPayload.map(({ payload }) => payload));
  return sql`
    select * from unnest(${withPayload.map(({ callId }) => callId)}::text[], ${texts}::text[]) as call (call_id, payload)`;
}

export function insertDims(projectId: string, dims: readonly Dim[]): Sql {
  const column = (read: (dim: Dim) => string) => dims.map(read);
  return sql`
    insert into ledger_dim (project_id, dim, channel, channel_type, source, source_folded, source_subtype, status,
                            model, provider, environment, agent_name)
    select ${projectId}, * from unnest(
      ${column(({ dim }) => dim)}::uuid[], ${column(({ channel }) => channel)}::text[],
      ${column(({ channelType }) => channelType)}::text[], ${column(({ source }) => source)}::text[],
      ${column(({ sourceFolded }) => sourceFolded)}::text[], ${column(({ subtype }) => subtype)}::text[],
      ${column(({ status }) => status)}::text[], ${column(({ model }) => model)}::text[],
      ${column(({ provider }) => provider)}::text[], ${column(({ environment }) => environment)}::text[],
      ${column(({ name }) => name)}::text[]) as new (dim)
    order by dim on conflict do nothing`;
}
