import type { Pool, PoolClient, QueryResult } from 'pg';

type Query = (...parameters: unknown[]) => Promise<QueryResult>;

/** A client as the driver has it: its types do not show the socket. */
type Client = PoolClient & { connection: { stream: { cork(): void; uncork(): void } } };

const NOTHING = { command: '', rowCount: 0, oid: 0, fields: [], rows: [] } as QueryResult;

/**
 * BEGIN waits for the first statement of its transaction and goes with it in one packet, as in JDBC: each transaction
 * takes a round trip less, and one that asks nothing takes none. The pool's clients have to be in pipeline mode.
 */
export function beginWithFirstStatement(pool: Pool): void {
  const waiting = new WeakMap<PoolClient, string>();
  pool.on('connect', (client: PoolClient) => {
    const { stream } = (client as Client).connection;
    const query = client.query.bind(client) as Query;
    const together = async (begin: string, parameters: unknown[]) => {
      stream.cork();
      const begun = query(begin);
      const asked = query(...parameters);
      stream.uncork();
      asked.catch(() => undefined);
      await begun;
      return asked;
    };
    const lateQuery = (...parameters: unknown[]): Promise<QueryResult> => {
      const [text] = parameters;
      if (typeof text === 'string' && text.startsWith('begin')) {
        waiting.set(client, text);
        return Promise.resolve(NOTHING);
      }
      const begin = waiting.get(client);
      if (begin === undefined) return query(...parameters);
      waiting.delete(client);
      return text === 'commit' || text === 'rollback' ? Promise.resolve(NOTHING) : together(begin, parameters);
    };
    Object.assign(client, { query: lateQuery });
  });
  pool.on('release', (_error: Error | undefined, client: PoolClient) => waiting.delete(client));
}
