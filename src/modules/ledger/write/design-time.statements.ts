import { raw, type Sql, sql } from '../../../platform/database/sql.js';
import { designTimeSources } from '../spellings.js';
import { moveInRollup } from '../rollup/rollup.statements.js';
import { insertDims } from './call-writing.statements.js';
import type { Dim } from './stored-call.js';

/**
 * Selects combinations of filter values that have a channel or an environment although their source is one of design
 * time. They are left alone while costs of the project are being repriced, because a process of an earlier release
 * would overwrite the corrected JSON with the one that it has read before.
 */
export function dimsWithChannelOrEnvironment(limit: number): Sql {
  return sql`
    select d.project_id as "projectId", d.dim, d.channel, d.channel_type as "channelType", d.source,
           d.source_folded as "sourceFolded", d.source_subtype as subtype, d.status, d.model, d.provider,
           d.environment, d.agent_name as name
    from ledger_dim d
    where d.source_folded = any(${designTimeSources()}::text[])
      and (d.channel, d.channel_type, d.environment) <> ('', '', '')
      and exists (select from ledger_row r where r.project_id = d.project_id and r.dim = d.dim)
      and d.project_id not in (select project_id from ledger_repricing where state = 'IN_PROGRESS')
    order by d.project_id, d.dim limit ${limit}`;
}

/** These patterns match only members of the JSON: within one of its strings, a backslash precedes a quotation mark. */
const ENVIRONMENT = raw(`'"environment":"[^"]*"'`);
const CHANNELS = raw(String.raw`',"channel":"(?:[^"\\]|\\.)*","channelType":"(?:[^"\\]|\\.)*"'`);

/**
 * Moves the oldest calls of a combination to the one without channel and environment, and corrects their JSON and the
 * sums in the same statement. It skips locked rows, so that it cannot deadlock with other writers.
 */
export function moveToDimWithoutChannel(projectId: string, from: Dim, to: Dim, limit: number): Sql {
  return sql`
    with due as (
      select ts, n from ledger_row where project_id = ${projectId} and dim = ${from.dim}::uuid
      order by ts limit ${limit} for update skip locked),
    dims as (${insertDims(projectId, [to])}),
    moved as (
      update ledger_row r
      set dim = ${to.dim}::uuid,
          doc = regexp_replace(regexp_replace(r.doc, ${ENVIRONMENT}, '"environment":""'), ${CHANNELS}, '')
      from due where r.project_id = ${projectId} and r.ts = due.ts and r.n = due.n
      returning r.*),
    sums as (${moveInRollup(projectId, sql`moved`, from.dim, to.dim)})
    select count(*)::integer as moved from moved`;
}
