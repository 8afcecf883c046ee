import type { Writable } from 'node:stream';
import type pg from 'pg';

/** A statement as it is sent. */
export interface Query {
  /** By which the connection keeps its plan. */
  name?: string;
  /** Forces a generic plan, because PostgreSQL would replan each page of a partitioned table. */
  isPlannedForAll?: true;
  text: string;
  values?: unknown[];
  /** How values of the answer become values of the program; those of the driver where nothing is said. */
  types?: pg.CustomTypesConfig;
}

/** Whether PostgreSQL may plan anew for the values of a statement, or keeps to the plan that serves all. */
type PlanMode = 'auto' | 'force_generic_plan';

type Rows = pg.QueryResult['rows'];

interface Message {
  query: Query;
  isBegin?: true;
  isDeferred?: true;
  /** Learns the rows of a deferred statement, before the commit is answered. */
  then?: ((rows: Rows) => void) | undefined;
}

/** The driver's client, in pipeline mode. Its types do not show the socket and the number of its process. */
export type Client = pg.PoolClient & { processID: number; connection: { stream: Writable } };

/** Learns the texts of each packet that is sent; for measurements. */
export type PacketWatcher = (texts: readonly string[]) => void;

/**
 * One connection, and all that decides what goes to PostgreSQL in which packet. BEGIN goes with the first statement of
 * its transaction, as in JDBC, and so does each deferred statement with the next one: a round trip less for each. What
 * fails in a packet fails the statement that was waited for, at the latest the commit.
 */
export class Connection {
  private deferred: Message[] = [];
  /** Why the transaction is broken, where it is. */
  private failure: Error | undefined;
  /** COMMIT or ROLLBACK is sent: what comes behind it would be on its own. */
  private isEnding = false;
  /** As it was set last; unknown after a rollback, which may have put back an earlier one. */
  private planMode: PlanMode | undefined = 'auto';
  /** The texts of the packet that is being put together, while somebody watches. */
  private readonly gathered: string[] = [];
  private giveBack: ((isSpoiled: boolean) => void) | undefined;

  constructor(
    private readonly client: Client,
    private readonly watchers: ReadonlySet<PacketWatcher>,
  ) {
    // A transaction whose connection dies is given up by nobody: the pool would wait for it for ever.
    client.once('end', () => this.release(true));
  }

  /** By which another connection cancels what this one asks. */
  get processId(): number {
    return this.client.processID;
  }

  /** Called by the pool: until its release the connection belongs to whoever asked for it. */
  lend(giveBack: (isSpoiled: boolean) => void): void {
    this.giveBack = giveBack;
  }

  /** A spoiled connection is closed. Releasing twice does nothing: the query builder and we may both find it dead. */
  release(isSpoiled = false): void {
    const giveBack = this.giveBack;
    this.giveBack = undefined;
    this.forget();
    giveBack?.(isSpoiled);
  }

  begin(text = 'begin'): void {
    this.forget();
    this.deferred.push({ query: { text }, isBegin: true });
  }

  /** Sends it with the next statement. */
  defer(query: Query, then?: (rows: Rows) => void): void {
    this.refuseBehindEnd();
    this.deferred.push({ query, then, isDeferred: true });
  }

  async ask<Row extends object>(query: Query): Promise<pg.QueryResult<Row>> {
    this.refuseBehindEnd();
    return this.sendNow({ query });
  }

  /** To the commit of a broken transaction PostgreSQL answers ROLLBACK, and calls that no error. */
  async commit(): Promise<void> {
    this.isEnding = true;
    if (this.hasNotBegun && this.deferred.length === 1) return this.forgetDeferred();
    const { command } = await this.sendNow({ query: { text: 'commit' } });
    if (command !== 'ROLLBACK') return;
    const reason = 'A statement of the transaction failed, and its failure was not heeded: nothing is kept';
    throw new Error(reason, { cause: this.failure });
  }

  async rollback(): Promise<void> {
    this.isEnding = true;
    const { hasNotBegun } = this;
    this.forgetDeferred();
    if (hasNotBegun) return;
    await this.sendNow({ query: { text: 'rollback' } });
    this.planMode = undefined;
  }

  async rollbackTo(text: string): Promise<void> {
    await this.ask({ text });
    this.planMode = undefined;
  }

  private get hasNotBegun(): boolean {
    return this.deferred[0]?.isBegin === true;
  }

  /** Whoever has the connection next begins anew. */
  private forget(): void {
    this.forgetDeferred();
    this.failure = undefined;
    this.isEnding = false;
  }

  private forgetDeferred(): void {
    this.deferred = [];
  }

  private refuseBehindEnd(): void {
    if (this.isEnding) throw new Error('The transaction has ended');
  }

  private async sendNow<Row extends object>(message: Message): Promise<pg.QueryResult<Row>> {
    const messages = this.deferred.length > 0 ? [...this.deferred.splice(0), message] : [message];
    return this.sendTogether(this.withPlanModes(messages));
  }

  private async sendTogether<Row extends object>(messages: readonly Message[]): Promise<pg.QueryResult<Row>> {
    this.gather(messages);
    if (messages.length === 1) return this.send<Row>(messages[0]!);
    const sent = messages.map((message) => this.send<Row>(message));
    const outcomes = await Promise.allSettled(sent);
    const failedAt = outcomes.findIndex(({ status }) => status === 'rejected');
    // Nothing but a cancellation or a lost connection makes BEGIN fail; what came behind it was then on its own.
    if (messages[failedAt]?.isBegin) this.release(true);
    // Where none failed, this is the answer of the last one, which is waited for.
    return sent.at(failedAt)!;
  }

  /** What fails behind another failure says only that the transaction is broken: the first one is the reason. */
  private async send<Row extends object>({ query, then, isDeferred }: Message): Promise<pg.QueryResult<Row>> {
    try {
      const answer = await this.client.query<Row>(query as pg.QueryConfig);
      then?.(answer.rows);
      return answer;
    } catch (error) {
      if (this.failure) throw this.failure;
      this.failure = error as Error;
      // The stack leads to whoever sent the next statement; the text says which one it was.
      if (isDeferred) Object.assign(this.failure, { deferredStatement: query.text });
      throw error;
    }
  }

  /** Sets, between statements, how the next ones are planned where that changes. */
  private withPlanModes(messages: Message[]): readonly Message[] {
    if (messages.every(({ query }) => this.isPlannedAsSet(query))) return messages;
    return messages.flatMap((message) => {
      if (this.isPlannedAsSet(message.query)) return [message];
      this.planMode = planModeFor(message.query);
      return [{ query: { text: `set plan_cache_mode = ${this.planMode}` } }, message];
    });
  }

  private isPlannedAsSet(query: Query): boolean {
    const mode = planModeFor(query);
    return mode === undefined || mode === this.planMode;
  }

  /** What is asked before the process turns to something else, by whichever of its parts, is one packet. */
  private gather(messages: readonly Message[]): void {
    const { stream } = this.client.connection;
    if (this.watchers.size > 0) this.gathered.push(...messages.map(({ query }) => query.text));
    if (stream.writableCorked > 0) return;
    stream.cork();
    process.nextTick(() => {
      stream.uncork();
      const packet = this.gathered.splice(0);
      for (const watch of this.watchers) watch(packet);
    });
  }
}

/** None where either will do: statements without values are planned alike, and kept plans were made before. */
function planModeFor({ isPlannedForAll, name, values }: Query): PlanMode | undefined {
  if (isPlannedForAll) return 'force_generic_plan';
  return name === undefined && values !== undefined && values.length > 0 ? 'auto' : undefined;
}
