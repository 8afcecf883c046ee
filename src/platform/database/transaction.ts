import type { EntityManager } from '@mikro-orm/postgresql';
import pg from 'pg';
import type { Actor } from '../../kernel/actor.js';
import { type LockName, mayTake } from '../../kernel/locks.js';
import type { Connection, Query } from './connection.js';
import type { Sql } from './sql.js';
import type { Answers, Statement } from './statement.js';

export type Notice = () => void | Promise<void>;

/** Who is told how the transaction ended. */
export interface Notices {
  readonly committed: Notice[];
  readonly failed: (() => void)[];
}

/**
 * One transaction, and the only way to ask within it. Entities that are read through repositories or `em` belong to it
 * too; their changes are written before the commit.
 */
export class Transaction {
  private readonly taken = new Set<LockName>();
  private isOver = false;

  constructor(
    readonly actor: Actor,
    readonly em: EntityManager,
    private readonly connection: Connection,
    private readonly notices: Notices,
  ) {}

  /** Asks and waits for the answer. */
  async ask<Answer>(statement: Statement<Answer>): Promise<Answer> {
    const { rows } = await this.send(statement);
    return statement.read(rows);
  }

  /** Asks for all of them in one packet, in the order of the list, and waits for all answers. */
  async askAll<const Asked extends readonly Statement<unknown>[]>(statements: Asked): Promise<Answers<Asked>> {
    const sent = statements.map((statement) => this.send(statement));
    // All have ended before anything else is asked; what failed first is the reason.
    await Promise.allSettled(sent);
    const results = await Promise.all(sent);
    return results.map(({ rows }, at) => statements[at]!.read(rows)) as Answers<Asked>;
  }

  /**
   * Leaves a statement to go with the next one, at the latest with the commit: nothing waits for it. If it fails, what
   * it goes with fails with its reason, and the transaction with it. `then` learns the answer before the commit.
   */
  defer<Answer>(statement: Statement<Answer>, then?: (answer: Answer) => void): void {
    this.admit(statement);
    this.connection.defer(toSend(statement.sql), then && ((rows: object[]) => then(statement.read(rows))));
  }

  /** Runs after the commit and never without one. It may be lost: what was promised to a user is no notice. */
  afterCommit(notice: Notice): void {
    this.notices.committed.push(notice);
  }

  /** Runs where there is no commit, or where nobody knows whether there was one. */
  afterFailure(notice: () => void): void {
    this.notices.failed.push(notice);
  }

  /** From here on nothing is asked any more: its connection is about to be somebody else's. */
  close(): void {
    this.isOver = true;
  }

  private send(statement: Statement<unknown>): Promise<pg.QueryResult<object>> {
    this.admit(statement);
    return this.connection.ask(toSend(statement.sql));
  }

  private admit({ lock }: Statement<unknown>): void {
    this.refuseWhenOver();
    if (lock === undefined) return;
    if (!mayTake(lock, this.taken)) {
      throw new Error(`The lock '${lock}' comes before ${[...this.taken].join(', ')}: see kernel/locks.ts`);
    }
    this.taken.add(lock);
  }

  private refuseWhenOver(): void {
    if (this.isOver) throw new Error('The transaction has ended');
  }
}

/** The ORM's parsers keep times as texts; statements have them as dates. */
export function toSend(sql: Sql): Query {
  return { ...sql.toQuery(), types: pg.types };
}
