import type { EntityManager } from '@mikro-orm/postgresql';
import pg from 'pg';
import type { Actor } from '../../kernel/actor.js';
import { type LockName, mayTake } from '../../kernel/locks.js';
import type { Connection, Query } from './connection.js';
import type { Sql } from './sql.js';
import type { Answers, Statement } from './statement.js';

export type CommitHook = () => void | Promise<void>;

/** The hooks that are called after the commit, and after a failure. */
export interface TransactionHooks {
  readonly committed: CommitHook[];
  readonly failed: (() => void)[];
}

/**
 * One transaction, and the only way to send statements within it. Entities that are read through repositories or `em`
 * belong to it too; their changes are written before the commit.
 */
export class Transaction {
  private readonly taken = new Set<LockName>();
  private isOver = false;

  constructor(
    readonly actor: Actor,
    readonly em: EntityManager,
    private readonly connection: Connection,
    private readonly hooks: TransactionHooks,
  ) {}

  /** Sends a statement and waits for its answer. */
  async ask<Answer>(statement: Statement<Answer>): Promise<Answer> {
    const { rows } = await this.send(statement);
    return statement.read(rows);
  }

  /** Sends all statements in one packet, in the order of the list, and waits for all answers. */
  async askAll<const Asked extends readonly Statement<unknown>[]>(statements: Asked): Promise<Answers<Asked>> {
    const sent = statements.map((statement) => this.send(statement));
    // All must have ended before another statement is sent. The first failure is the reason that is thrown.
    await Promise.allSettled(sent);
    const results = await Promise.all(sent);
    return results.map(({ rows }, at) => statements[at]!.read(rows)) as Answers<Asked>;
  }

  /**
   * Defers a statement: it is sent with the next one, at the latest with the commit, and the caller does not wait for
   * it. If it fails, the statement that it is sent with fails with its reason, and so does the transaction. `then`
   * receives the answer before the commit is answered. It cannot stop the commit, which may be sent in the same packet: a
   * statement that has to stop it contains a `demand`.
   */
  defer<Answer>(statement: Statement<Answer>, then?: (answer: Answer) => void): void {
    this.admit(statement);
    this.connection.defer(toSend(statement.sql), then && ((rows: object[]) => then(statement.read(rows))));
  }

  /**
   * Calls the hook after the commit, and never without one. It may be lost, so work that is owed to a user must be a
   * job instead.
   */
  afterCommit(hook: CommitHook): void {
    this.hooks.committed.push(hook);
  }

  /** Calls the hook if the commit did not happen, or if its outcome is unknown. */
  afterFailure(hook: () => void): void {
    this.hooks.failed.push(hook);
  }

  /** Declares a lock that the ORM takes next, as `Statement.taking` does for a statement. */
  takes(lock: LockName): void {
    if (!mayTake(lock, this.taken)) {
      const later = [...this.taken].filter((other) => !mayTake(lock, new Set([other])));
      throw new Error(`The lock '${lock}' comes before ${later.join(', ')}: see kernel/locks.ts`);
    }
    this.taken.add(lock);
  }

  /** Refuses further statements, because another transaction is about to use the connection. */
  close(): void {
    this.isOver = true;
  }

  private send(statement: Statement<unknown>): Promise<pg.QueryResult<object>> {
    this.admit(statement);
    return this.connection.ask(toSend(statement.sql));
  }

  private admit({ locks }: Statement<unknown>): void {
    this.refuseWhenOver();
    for (const lock of locks) this.takes(lock);
  }

  private refuseWhenOver(): void {
    if (this.isOver) throw new Error('The transaction has ended');
  }
}

/** Adds the driver's parsers, which make dates of times; the ORM's parsers keep times as texts. */
export function toSend(sql: Sql): Query {
  return { ...sql.toQuery(), types: pg.types };
}
