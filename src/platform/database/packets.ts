import type { Writable } from 'node:stream';
import type { Pool, PoolClient, QueryConfig, QueryResult } from 'pg';
import type { Query } from './sql.js';

type Send = (...statement: unknown[]) => Promise<QueryResult>;

/** A client as the driver has it: its types do not show the socket. */
type Client = PoolClient & { connection: { stream: Writable } };

/** A statement whose answer nobody waits for. */
export interface LateQuery extends QueryConfig {
  isLate: true;
  /** Called before the commit is answered. */
  hear?: (rows: QueryResult['rows']) => void;
}

/** Whether PostgreSQL may plan anew for the values of a statement, or keeps to the plan that serves all. */
type PlanMode = 'auto' | 'force_generic_plan';

/** Asked instead of a statement: its one row is the client that would have sent it, which Kysely hides. */
export const WHICH_CLIENT = {};

const NOTHING: QueryResult = { command: '', rowCount: 0, oid: 0, fields: [], rows: [] };

/**
 * What needs no answer is late: it goes with the next statement of its transaction, in one packet. So does BEGIN, as in
 * JDBC, and what is only written. Each saves a round trip; a transaction that asks nothing takes none. What fails late,
 * fails the statement that it went with, at the latest the commit. The pool's clients have to be in pipeline mode.
 */
export function sendTogether(pool: Pool): void {
  const packets = new WeakMap<PoolClient, Packets>();
  pool.on('connect', (client: PoolClient) => {
    const own = new Packets(client);
    packets.set(client, own);
    Object.assign(client, { query: own.ask });
  });
  pool.on('release', (_error: Error | undefined, client: PoolClient) => packets.get(client)?.forget());
}

/** What is asked of one client, in place of its own way of asking. */
class Packets {
  private readonly query: Send;
  private late: unknown[][] = [];
  /** Why the transaction is broken, where it is. */
  private failure: Error | undefined;
  /** Its end is asked for: what comes behind would be on its own. */
  private hasEnded = false;
  /** As it was set last; unknown after a rollback, which may have put back an earlier one. */
  private planMode: PlanMode | undefined = 'auto';

  constructor(private readonly client: Client) {
    this.query = client.query.bind(client) as Send;
  }

  readonly ask: Send = async (...statement) => {
    const [asked] = statement;
    if (asked === WHICH_CLIENT) return { ...NOTHING, rows: [this.client] };
    if (isBegin(asked)) this.forget();
    const isEnd = asked === 'commit' || asked === 'rollback';
    if (this.hasEnded && !isEnd) throw new Error('The transaction has ended');
    if (isBegin(asked) || isLate(asked)) {
      this.late.push(statement);
      return NOTHING;
    }
    this.hasEnded = isEnd;
    const before = this.late.splice(0);
    const hasNotBegun = isBegin(before[0]?.[0]);
    if (asked === 'rollback' && hasNotBegun) return NOTHING;
    if (asked === 'commit' && hasNotBegun && before.length === 1) return NOTHING;
    gather(this.client);
    const answer = await this.together(this.withPlanModes([...before, statement]));
    if (asked === 'commit') this.refuseRollback(answer);
    if (isRollback(asked)) this.planMode = undefined;
    return answer;
  };

  /** Whoever has the client next, begins anew. */
  forget(): void {
    this.late = [];
    this.failure = undefined;
    this.hasEnded = false;
  }

  /** Statements, and between them what sets how they are planned where that changes. */
  private withPlanModes(statements: unknown[][]): unknown[][] {
    return statements.flatMap((statement) => {
      const mode = planModeFor(statement);
      if (mode === undefined || mode === this.planMode) return [statement];
      this.planMode = mode;
      return [[`set plan_cache_mode = ${mode}`], statement];
    });
  }

  /** What fails behind another failure says only that the transaction is broken: the first one is the reason. */
  private async send(statement: unknown[]): Promise<QueryResult> {
    try {
      const answer = await this.query(...statement);
      if (isLate(statement[0])) statement[0].hear?.(answer.rows);
      return answer;
    } catch (error) {
      if (this.failure) throw this.failure;
      this.failure = error as Error;
      // Its stack leads to whoever sent the next statement.
      if (isLate(statement[0])) Object.assign(this.failure, { lateStatement: statement[0].text });
      throw error;
    }
  }

  private async together(statements: unknown[][]): Promise<QueryResult> {
    if (statements.length === 1) return this.send(statements[0]!);
    const sent = statements.map((statement) => this.send(statement));
    const outcomes = await Promise.allSettled(sent);
    const failedAt = outcomes.findIndex(({ status }) => status === 'rejected');
    // Nothing but a cancellation or a lost connection makes BEGIN fail; what came behind it was then on its own.
    if (isBegin(statements[failedAt]?.[0])) this.client.release(true);
    // Without a failure that is the last one's answer, the one that is waited for.
    return sent.at(failedAt)!;
  }

  /** To the commit of a broken transaction the database answers so, and calls that no error. */
  private refuseRollback({ command }: QueryResult): void {
    if (command !== 'ROLLBACK') return;
    const reason = 'A statement of the transaction failed, and its failure was not heeded: nothing is kept';
    throw new Error(reason, { cause: this.failure });
  }
}

/** What is asked before the process turns to something else, by whichever of its parts, is one packet. */
function gather({ connection: { stream } }: Client): void {
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

/** None where either will do: without values, or planned once, which is for what needs no plan of its own. */
function planModeFor([asked, values]: unknown[]): PlanMode | undefined {
  if (typeof asked === 'string') return hasAny(values) ? 'auto' : undefined;
  const query = asked as Query;
  if (query.isPlannedForAll) return 'force_generic_plan';
  return query.name === undefined && hasAny(query.values) ? 'auto' : undefined;
}

function hasAny(values: unknown): boolean {
  return Array.isArray(values) && values.length > 0;
}

/** Of the transaction, or to a savepoint within it. */
function isRollback(asked: unknown): boolean {
  return typeof asked === 'string' && asked.startsWith('rollback');
}

function isBegin(asked: unknown): boolean {
  return typeof asked === 'string' && asked.startsWith('begin');
}

function isLate(asked: unknown): asked is LateQuery {
  return typeof asked === 'object' && asked !== null && 'isLate' in asked;
}
