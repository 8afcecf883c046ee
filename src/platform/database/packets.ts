import type { Writable } from 'node:stream';
import type { Pool, PoolClient, QueryConfig, QueryResult } from 'pg';

type Send = (...statement: unknown[]) => Promise<QueryResult>;

/** A client as the driver has it: its types do not show the socket. */
type Client = PoolClient & { connection: { stream: Writable } };

/** A statement whose answer nobody needs. */
export interface LateQuery extends QueryConfig {
  isLate: true;
}

/** Asked instead of a statement: its one row is the client that would have sent it, which Kysely hides. */
export const WHICH_CLIENT = {};

const NOTHING: QueryResult = { command: '', rowCount: 0, oid: 0, fields: [], rows: [] };

/**
 * What needs no answer is late: it goes with the next statement of its transaction, in one packet. So does BEGIN, as in
 * JDBC, and what is only written. Each saves a round trip; a transaction that asks nothing takes none. What fails late,
 * fails the statement that it went with, at the latest the commit. The pool's clients have to be in pipeline mode.
 */
export function sendTogether(pool: Pool): void {
  const late = new WeakMap<PoolClient, unknown[][]>();
  pool.on('connect', (connected: PoolClient) => {
    const client = connected as Client;
    const send = client.query.bind(client) as Send;
    const query = (...statement: unknown[]): Promise<QueryResult> => {
      const [asked] = statement;
      if (asked === WHICH_CLIENT) return Promise.resolve({ ...NOTHING, rows: [client] });
      const before = late.get(client) ?? [];
      if (isBegin(asked) || isLate(asked)) {
        late.set(client, [...before, statement]);
        return Promise.resolve(NOTHING);
      }
      late.delete(client);
      gather(client);
      const hasNotBegun = isBegin(before[0]?.[0]);
      if (asked === 'rollback') return hasNotBegun ? Promise.resolve(NOTHING) : send(...statement);
      if (asked === 'commit' && hasNotBegun && before.length === 1) return Promise.resolve(NOTHING);
      const answer = before.length === 0 ? send(...statement) : together(client, send, [...before, statement]);
      return asked === 'commit' ? answer.then(refuseRollback) : answer;
    };
    Object.assign(client, { query });
  });
  pool.on('release', (_error: Error | undefined, client: PoolClient) => late.delete(client));
}

/** To the commit of a broken transaction the database answers so, and calls that no error. */
function refuseRollback(answer: QueryResult): QueryResult {
  if (answer.command !== 'ROLLBACK') return answer;
  throw new Error('A statement of the transaction failed, and its failure was not heeded: nothing is kept');
}

async function together(client: Client, send: Send, statements: readonly unknown[][]): Promise<QueryResult> {
  const sent = statements.map((statement) => send(...statement));
  const outcomes = await Promise.allSettled(sent);
  // The first that fails says why; those behind it say only that the transaction is broken.
  const failedAt = outcomes.findIndex(({ status }) => status === 'rejected');
  if (failedAt < 0) return sent.at(-1)!;
  const reason: unknown = (outcomes[failedAt] as PromiseRejectedResult).reason;
  const failed = statements[failedAt]![0];
  // Nothing but a cancellation or a lost connection makes BEGIN fail; what came behind it was then on its own.
  if (isBegin(failed)) client.release(true);
  // Its stack leads to whoever sent the next statement.
  if (isLate(failed)) Object.assign(reason as Error, { lateStatement: failed.text });
  throw reason;
}

/** What is asked before the process turns to something else, by whichever of its parts, is one packet. */
function gather({ connection: { stream } }: Client): void {
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

function isBegin(asked: unknown): boolean {
  return typeof asked === 'string' && asked.startsWith('begin');
}

function isLate(asked: unknown): asked is LateQuery {
  return typeof asked === 'object' && asked !== null && 'isLate' in asked;
}
