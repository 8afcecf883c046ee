import pg from 'pg';

/** @import { Environment } from './environment.mjs' */

/**
 * A page of the ledger as one of the measured programs answers it. With a body, it is asked for by POST.
 * @typedef {object} Page
 * @property {string} name
 * @property {string} url
 * @property {string} [body]
 */

/**
 * A function that PostgreSQL inlines, with the window as its arguments. PostGraphile adds the order, the limit and the
 * exact total, as the documents of PostGraphile recommend for lists.
 */
const SCHEMA = `
  drop schema if exists bench_graph cascade;
  create schema bench_graph;
  create view bench_graph.call as select * from naive_call;
  comment on view bench_graph.call is E'@primaryKey id';
  create function bench_graph.calls(project text, since timestamptz, until timestamptz)
    returns setof bench_graph.call language sql stable as $$
      select * from bench_graph.call where project_id = project and ts >= since and ts < until $$;
  comment on function bench_graph.calls is E'@behavior orderBy order'`;

/** All members of a row that the ledger answers. */
const MEMBERS = `id: rowId projectId ts model agentName provider environment status sessionId callId traceId eventId source
  sourceSubtype sourceLabel sourceSubtypeLabel sourceId channel channelType inputTokens cachedTokens completionTokens
  reasoningTokens outputTokens totalTokens latencyMs timeToFirstTokenMs streamingUsed cost statusCode`;

const QUERY = `query Page($project: String!, $since: Datetime!, $until: Datetime!, $limit: Int!) {
  page: calls(project: $project, since: $since, until: $until, first: $limit, orderBy: [TS_DESC, ROW_ID_DESC]) {
    total: totalCount
    generations: nodes { ${MEMBERS} }
  }
}`;

/**
 * @param {Environment} environment
 * @param {NodeJS.ProcessEnv} settings
 */
export async function startPostGraphile(environment, settings) {
  const client = new pg.Client(environment.databaseUrl);
  await client.connect();
  await client.query(SCHEMA);
  await client.end();
  return environment.startPeer('postgraphile', settings);
}

/**
 * @param {string} url
 * @param {string} project
 * @param {number} since
 * @param {number} until
 * @param {number} limit
 * @returns {Page}
 */
export function pageOfPostGraphile(url, project, since, until, limit) {
  const variables = { project, since: new Date(since).toISOString(), until: new Date(until).toISOString(), limit };
  return { name: 'PostGraphile', url, body: JSON.stringify({ query: QUERY, variables }) };
}
