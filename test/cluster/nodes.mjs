import pg from 'pg';

/** The address of a database on the coordinator, to which the workers are added. */
export const coordinatorUrl = process.env.TEST_CITUS_URL ?? '';
/** The beginning of the names of all databases of this run. */
export const namesOfRun = `slipway_cluster_${process.env.TEST_CITUS_RUN}`;

/** @param {string} database */
export function urlOf(database) {
  return at(coordinatorUrl, { pathname: `/${database}` });
}

/**
 * Returns the addresses of all nodes, the coordinator first.
 * @returns {Promise<string[]>}
 */
export async function nodes() {
  const rows = await ask(
    coordinatorUrl,
    `select nodename as hostname, nodeport::text as port from pg_dist_node
     where isactive and noderole = 'primary' order by groupid`,
  );
  const workers = /** @type {{ hostname: string, port: string }[]} */ (rows).map((node) => at(coordinatorUrl, node));
  return [coordinatorUrl, ...workers.filter((url) => new URL(url).host !== new URL(coordinatorUrl).host)];
}

/**
 * Sends statements, each as a transaction of its own, and returns the rows of the last one.
 * @param {string} url
 * @param {...string} texts
 * @returns {Promise<object[]>}
 */
export async function ask(url, ...texts) {
  const client = new pg.Client({ connectionString: url, application_name: 'test' });
  await client.connect();
  try {
    for (const text of texts.slice(0, -1)) await client.query(text);
    const { rows } = await client.query(texts.at(-1) ?? '');
    return rows.map((/** @type {object} */ row) => row);
  } finally {
    await client.end();
  }
}

/**
 * @param {string} url
 * @param {Partial<URL>} changes
 */
function at(url, changes) {
  return Object.assign(new URL(url), changes).href;
}
