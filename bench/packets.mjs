/** @import pg from 'pg' */
/** @import { Writable } from 'node:stream' */
/** @typedef {pg.PoolClient & { readonly connection: { stream: Writable } }} WiredClient the driver's types hide its wire */

/**
 * Sends all statements as one packet, and waits for all answers. A transaction by hand is one packet then, as in the
 * service. The client's pool must have the option `pipeline`; without it, the driver waits for each answer.
 * @param {pg.PoolClient} client
 * @param {(pg.QueryConfig | string)[]} queries
 * @returns {Promise<pg.QueryResult<object>[]>}
 */
export async function sendTogether(client, queries) {
  const { stream } = /** @type {WiredClient} */ (client).connection;
  stream.cork();
  const sent = queries.map((query) => /** @type {Promise<pg.QueryResult<object>>} */ (client.query(query)));
  stream.uncork();
  await Promise.allSettled(sent);
  return Promise.all(sent);
}
