import type { Pool, PoolClient, QueryConfig, QueryResult } from 'pg';

type Query = (...parameters: unknown[]) => Promise<QueryResult>;

/** A client as the driver has it: its types do not show the socket. */
type Client = PoolClient & { connection: { stream: { cork(): void; uncork(): void } } };

/** A statement whose answer nobody needs: it goes with the next one of its transaction. */
export interface LateQuery extends QueryConfig {
  goesWithNext: true;
}

const NOTHING: QueryResult = { command: '', rowCount: 0, oid: 0, fields: [], rows: [] };

/**
 * What needs no answer waits for the next statement of its transaction and goes with it in one packet: BEGIN, as in
 * JDBC, and what is only written. Each saves a round trip; a transaction that asks nothing takes none. What fails, fails
 * the statement that it went with, at the latest the commit. The pool's clients have to be in pipeline mode.
 */
export function sendTogether(pool: Pool): void {
  const waiting = new WeakMap<PoolClient, unknown[][]>();
  pool.on('connect', (client: PoolClient) => {
    const query = client.query.bind(client) as Query;
    const queryLater = (...parameters: unknown[]): Promise<QueryResult> => {
      const [asked] = parameters;
      const earlier = waiting.get(client) ?? [];
      if (isBegin(asked) || isLate(asked)) {
        waiting.set(client, [...earlier, parameters]);
        return Promise.resolve(NOTHING);
      }
      waiting.delete(client);
      const hasBegun = !isBegin(earlier[0]?.[0]);
      if (asked === 'rollback') return hasBegun ? query(...parameters) : Promise.resolve(NOTHING);
      if (asked === 'commit' && !hasBegun && earlier.length === 1) return Promise.resolve(NOTHING);
      if (earlier.length === 0) return query(...parameters);
      return together(client, query, earlier, parameters);
    };
    Object.assign(client, { query: queryLater });
  });
  pool.on('release', (_error: Error | undefined, client: PoolClient) => waiting.delete(client));
}

async function together(
  client: Client | PoolClient,
  query: Query,
  earlier: readonly unknown[][],
  asked: unknown[],
): Promise<QueryResult> {
  const sent = inOnePacket(client as Client, () => [...earlier, asked].map((parameters) => query(...parameters)));
  const outcomes = await Promise.allSettled(sent);
  // The first that fails says why; those behind it say only that the transaction is broken.
  const failedAt = outcomes.findIndex(({ status }) => status === 'rejected');
  // Nothing but a cancellation or a lost connection makes BEGIN fail; what came behind it was then on its own.
  if (failedAt === 0 && isBegin(earlier[0]?.[0])) client.release(true);
  return failedAt < 0 ? sent.at(-1)! : sent[failedAt]!;
}

function inOnePacket<T>({ connection: { stream } }: Client, send: () => T): T {
  stream.cork();
  try {
    return send();
  } finally {
    stream.uncork();
  }
}

function isBegin(asked: unknown): boolean {
  return typeof asked === 'string' && asked.startsWith('begin');
}

function isLate(asked: unknown): boolean {
  return typeof asked === 'object' && asked !== null && 'goesWithNext' in asked;
}
