import { storableText } from '../../kernel/storable-text.js';
import { planned, type Sql, sql } from '../../platform/database/sql.js';
import type { Observed } from './observed.js';

/**
 * Writes traces and observations. A known observation stays as it is; a trace grows to hold what it is given, and gets
 * the first session that is said. Traces are written in order, so that two writers wait for one another and never each
 * for the other. Answers with the session of each trace.
 */
export function recordObserved(projectId: string, appId: string | null, observed: readonly Observed[]): Sql {
  return planned`
    with given as (${given(observed)}),
    written as (
      insert into observation (project_id, trace_id, id, parent_id, kind, name, started_at, ended_at, status,
                               status_message, model, provider, input_tokens, output_tokens, cost, input, output,
                               attributes)
      select ${projectId}, trace_id, id, parent_id, case when model is null then 'SPAN' else 'GENERATION' end, name,
             started_at, ended_at, status, status_message, model, provider, input_tokens, output_tokens, cost, input,
             output, attributes
      from given order by trace_id, id
      on conflict do nothing)
    insert into trace (project_id, id, app_id, session_id, started_at, ended_at)
    select ${projectId}, trace_id, ${appId}::text, coalesce(min(nullif(session_id, '')), ''), min(started_at),
           max(ended_at)
    from given group by trace_id order by trace_id
    on conflict (project_id, id) do update set
      session_id = coalesce(nullif(trace.session_id, ''), excluded.session_id),
      started_at = least(trace.started_at, excluded.started_at),
      ended_at = greatest(trace.ended_at, excluded.ended_at)
    returning id, session_id`;
}

/** As columns: one array each, however many there are. */
function given(observed: readonly Observed[]): Sql {
  const column = <T>(read: (one: Observed) => T) => observed.map(read);
  // Said by models, by those who answer tools, by programs: what cannot be stored of it must not cost the rest.
  const told = (read: (one: Observed) => string | null) => column((one) => storable(read(one)));
  return sql`
    select * from unnest(
      ${column(({ traceId }) => traceId)}::text[], ${column(({ id }) => id)}::text[],
      ${column(({ parentId }) => parentId)}::text[], ${column(({ sessionId }) => sessionId)}::text[],
      ${told(({ name }) => name)}::text[], ${column(({ startedAt }) => startedAt)}::timestamptz[],
      ${column(({ endedAt }) => endedAt)}::timestamptz[], ${column(({ status }) => status)}::text[],
      ${told(({ statusMessage }) => statusMessage)}::text[],
      ${column(({ generation }) => generation?.model ?? null)}::text[],
      ${column(({ generation }) => generation?.provider ?? null)}::text[],
      ${column(({ generation }) => generation?.inputTokens ?? null)}::integer[],
      ${column(({ generation }) => generation?.outputTokens ?? null)}::integer[],
      ${column(({ generation }) => generation?.cost ?? null)}::numeric[],
      ${told(({ input }) => input)}::text[], ${told(({ output }) => output)}::text[],
      ${column(({ attributes }) => attributes)}::text[]
    ) as one (trace_id, id, parent_id, session_id, name, started_at, ended_at, status, status_message, model,
              provider, input_tokens, output_tokens, cost, input, output, attributes)`;
}

function storable(text: string | null): string | null {
  return text === null ? null : storableText(text);
}
