import type { EventEmitter } from 'node:events';
import type { Writable } from 'node:stream';
import type pg from 'pg';
import { inSpan } from '../telemetry/tracing.js';
import { markAsOfDatabase } from './database.errors.js';
import { statementSpan } from './statement-span.js';

/** A statement as it is sent. */
export interface Query {
  /** The name under which the connection keeps the statement's plan. */
  name?: string;
  /** Forces a generic plan, because PostgreSQL would replan each page of a partitioned table. */
  isPlannedForAll?: true;
  text: string;
  values?: unknown[];
  /** The parsers for values of the answer; by default those of the driver. */
  types?: pg.CustomTypesConfig;
}

/** Whether PostgreSQL may plan a statement again for its values, or keeps to the generic plan. */
type PlanMode = 'auto' | 'force_generic_plan';

type Rows = pg.QueryResult['rows'];

interface Message {
  query: Query;
  isBegin?: true;
  isDeferred?: true;
  /** Receives the rows of a deferred statement before the commit is answered. */
  then?: ((rows: Rows) => void) | undefined;
}

/** The driver's client, in pipeline mode. The driver's types do not show its wire and how the server knows it. */
export type Client = pg.PoolClient & {
  readonly processID: number;
  readonly secretKey: number;
  readonly connection: EventEmitter & {
    stream: Writable;
    connect(port: number | string, host?: string): void;
    /** Asks the server to cancel what the connection with this process id and secret runs. */
    cancel(processId: number, secretKey: number): void;
  };
};

/** Receives the texts of each packet that is sent, for measurements. */
export type PacketWatcher = (texts: readonly string[]) => void;

/**
 * One connection, which decides what is sent to PostgreSQL in which packet. BEGIN is sent with the first statement of
 * its transaction, as in JDBC, and each deferred statement with the next one. Each saves a round trip.
 *
 * A failure in a packet fails the statement that the caller waits for, at the latest the commit.
 */
export class Connection {
  private deferred: Message[] = [];
  /** The first failure of the transaction, if there is one. */
  private failure: Error | undefined;
  /** Whether COMMIT or ROLLBACK is sent. A statement behind it would be outside the transaction. */
  private isEnding = false;
  /** The mode that was set last. It is unknown after a rollback, which may have restored an earlier one. */
  private planMode: PlanMode | undefined = 'auto';
  /** The texts of the packet that is being put together, collected only while there are watchers. */
  private readonly gathered: string[] = [];
  private returnToPool: ((isSpoiled: boolean) => void) | undefined;
  /** A cancellation that is on its way to the server. Resolves with whether it may still arrive. */
  private cancellation: Promise<boolean> | undefined;

  constructor(
    readonly client: Client,
    private readonly watchers: ReadonlySet<PacketWatcher>,
    /** Whether the next transaction may run on another connection of the server, which has no plans of this one. */
    private readonly isPooled = false,
  ) {
    // Nothing else releases a connection that dies within a transaction, and the pool would wait for it for ever.
    client.once('end', () => this.release(true));
  }

  /** The pool calls this when it lends the connection, which belongs to its borrower until the release. */
  lend(returnToPool: (isSpoiled: boolean) => void): void {
    this.returnToPool = returnToPool;
  }

  /**
   * Returns the connection to the pool, which closes a spoiled one. A second release does nothing, because both the
   * query builder and this class may find the connection dead.
   */
  release(isSpoiled = false): void {
    const returnToPool = this.returnToPool;
    this.returnToPool = undefined;
    this.forget();
    if (isSpoiled || !this.cancellation) returnToPool?.(isSpoiled);
    else void this.cancellation.then((mayStillArrive) => returnToPool?.(mayStillArrive));
  }

  /**
   * The server cancels what it runs when the cancellation arrives. Until then this connection sends nothing and is not
   * returned to the pool, so that the cancellation cannot hit a later statement.
   */
  holdDuring(cancellation: Promise<boolean>): void {
    const all = Promise.all([this.cancellation, cancellation]).then((outcomes) => outcomes.includes(true));
    this.cancellation = all;
    void all.then(() => {
      if (this.cancellation === all) this.cancellation = undefined;
    });
  }

  begin(text = 'begin'): void {
    this.forget();
    this.deferred.push({ query: { text }, isBegin: true });
  }

  /** Sends the statement with the next one. */
  defer(query: Query, then?: (rows: Rows) => void): void {
    this.refuseBehindEnd();
    this.deferred.push({ query, then, isDeferred: true });
  }

  async ask<Row extends object>(query: Query): Promise<pg.QueryResult<Row>> {
    this.refuseBehindEnd();
    return this.sendNow({ query });
  }

  /**
   * PostgreSQL answers the COMMIT of a broken transaction with ROLLBACK and without an error, so this method throws
   * one.
   */
  async commit(): Promise<void> {
    this.isEnding = true;
    if (this.hasNotBegun && this.deferred.length === 1) return this.forgetDeferred();
    const { command } = await this.sendNow({ query: { text: 'commit' } });
    if (command !== 'ROLLBACK') return;
    const reason =
      'A statement of the transaction failed, and the code ignored the failure. The transaction was rolled back.';
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

  /** Resets the state, so that the next transaction on this connection begins without it. */
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
    if (this.cancellation) await this.cancellation;
    const messages = this.deferred.length > 0 ? [...this.deferred.splice(0), message] : [message];
    return this.sendTogether(this.withPlanModes(messages));
  }

  private async sendTogether<Row extends object>(messages: readonly Message[]): Promise<pg.QueryResult<Row>> {
    this.gather(messages);
    if (messages.length === 1) return this.send<Row>(messages[0]!);
    const sent = messages.map((message) => this.send<Row>(message));
    const outcomes = await Promise.allSettled(sent);
    const failedAt = outcomes.findIndex(({ status }) => status === 'rejected');
    // Only a cancellation or a lost connection makes BEGIN fail. The statements behind it then ran outside a
    // transaction.
    if (messages[failedAt]?.isBegin) this.release(true);
    // If none failed, `at(-1)` is the answer of the last statement, for which the caller waits.
    return sent.at(failedAt)!;
  }

  /**
   * A failure behind another one says only that the transaction is broken, so the first failure is thrown as the
   * reason.
   */
  private async send<Row extends object>({ query, then, isDeferred }: Message): Promise<pg.QueryResult<Row>> {
    try {
      const sent = this.isPooled ? withoutName(query) : (query as pg.QueryConfig);
      const answer = await inSpan(
        () => statementSpan(query.text),
        () => this.client.query<Row>(sent),
      );
      then?.(answer.rows);
      return answer;
    } catch (error) {
      markAsOfDatabase(error);
      if (this.failure) throw this.failure;
      this.failure = error as Error;
      // The stack leads to the sender of the next statement, so the error carries the text of the deferred one.
      if (isDeferred) Object.assign(this.failure, { deferredStatement: query.text });
      throw error;
    }
  }

  /** Inserts a statement that sets the plan mode where the mode changes. */
  private withPlanModes(messages: Message[]): readonly Message[] {
    if (messages.every(({ query }) => this.isPlannedAsSet(query))) return messages;
    return messages.flatMap((message) => {
      if (this.isPlannedAsSet(message.query)) return [message];
      this.planMode = planModeFor(message.query);
      return [{ query: { text: `set plan_cache_mode = ${this.planMode}` } }, message];
    });
  }

  private isPlannedAsSet(query: Query): boolean {
    const mode = this.isPooled ? undefined : planModeFor(query);
    return mode === undefined || mode === this.planMode;
  }

  /**
   * Corks the socket until the end of this turn of the event loop, so that all statements which are asked of this
   * connection in it are sent as one packet. The watchers then receive the texts of the packet.
   */
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

function withoutName({ name: _, ...query }: Query): pg.QueryConfig {
  return query as pg.QueryConfig;
}

/**
 * Returns undefined where either mode will do: a statement without values has one plan, and a named statement has its
 * plan already.
 */
function planModeFor({ isPlannedForAll, name, values }: Query): PlanMode | undefined {
  if (isPlannedForAll) return 'force_generic_plan';
  return name === undefined && values !== undefined && values.length > 0 ? 'auto' : undefined;
}
