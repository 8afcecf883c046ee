import type { Pool, PoolClient, QueryResult } from 'pg';

type Query = (...parameters: unknown[]) => Promise<QueryResult>;

/** A client as the driver has it: its types do not show the socket. */
type Client = PoolClient & { connection: { stream: { cork(): void; uncork(): void } } };

const NOTHING: QueryResult = { command: '', rowCount: 0, oid: 0, fields: [], rows: [] };

/**
 * BEGIN waits for the first statement of its transaction and goes with it in one packet, as in JDBC: each transaction
 * takes a round trip less, and one that asks nothing takes none. The pool's clients have to be in pipeline mode.
 */
export function beginWithFirstStatement(pool: Pool): void {
  const waiting = new WeakMap<PoolClient, string>();
  pool.on('connect', (client: PoolClient) => {
    const query = client.query.bind(client) as Query;
    const lateQuery = (...parameters: unknown[]): Promise<QueryResult> => {
      const [text] = parameters;
      if (typeof text === 'string' && text.startsWith('begin')) {
        waiting.set(client, text);
        return Promise.resolve(NOTHING);
      }
      const begin = waiting.get(client);
      if (begin === undefined) return query(...parameters);
      waiting.delete(client);
      if (text === 'commit' || text === 'rollback') return Promise.resolve(NOTHING);
      return together(client, () => [query(begin), query(...parameters)]);
    };
    Object.assign(client, { query: lateQuery });
  });
  pool.on('release', (_error: Error | undefined, client: PoolClient) => waiting.delete(client));
}

async function together(client: Client, send: () => [Promise<unknown>, Promise<QueryResult>]): Promise<QueryResult> {
  const [begun, asked] = inOnePacket(client, send);
  // Nothing but a cancellation or a lost connection makes BEGIN fail; what came behind it was then on its own.
  begun.catch(() => client.release(true));
  asked.catch(() => undefined);
  await begun;
  return asked;
}

function inOnePacket<T>({ connection: { stream } }: Client, send: () => T): T {
  stream.cork();
  try {
    return send();
  } finally {
    stream.uncork();
  }
}
