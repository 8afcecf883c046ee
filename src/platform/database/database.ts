import { MikroORM, RequestContext } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { type Actor, actorId } from '../../kernel/actor.js';
import { outsideRequest } from '../context/request-context.js';
import { Log } from '../telemetry/log.js';
import { ActorLock } from './actor-lock.js';
import { ChangeLog } from './change-log.js';
import { connectionOf } from './dialect.js';
import { openTransaction } from './open-transaction.js';
import type { Answers, Statement } from './statement.js';
import { Statements } from './statements.js';
import { type CommitHook, Transaction, type TransactionHooks } from './transaction.js';

/** The way of a use case to PostgreSQL: a transaction, or a single statement. */
@Injectable()
export class Database {
  constructor(
    private readonly orm: MikroORM,
    private readonly actors: ActorLock,
    private readonly changes: ChangeLog,
    private readonly statements: Statements,
    private readonly log: Log,
  ) {}

  /**
   * Runs one use case, all or nothing; a use case within another joins its transaction, and must have the same actor.
   *
   * The transaction keeps an actor lock on the caller's key, so that it and a revocation take turns: either the key is
   * still valid when the effect commits, or there is no effect. The audit records what changes in audited entities, and
   * by whom.
   */
  async transaction<T>(actor: Actor, work: (tx: Transaction) => Promise<T>): Promise<T> {
    const outer = openTransaction.getStore();
    if (!outer) return this.begin(actor, work);
    if (actorId(outer.actor) !== actorId(actor)) throw new Error('A use case within another must have the same actor');
    return work(outer);
  }

  /** Sends one statement, in the open transaction or, without one, on a connection of its own. */
  ask<Answer>(statement: Statement<Answer>): Promise<Answer> {
    return this.statements.ask(statement);
  }

  /** Sends several statements in one packet. None may need the answer of another. */
  askAll<const Asked extends readonly Statement<unknown>[]>(statements: Asked): Promise<Answers<Asked>> {
    return this.statements.askAll(statements);
  }

  /** Runs work that belongs to no request and to no open transaction, with an entity manager of its own. */
  apart<T>(work: () => Promise<T>): Promise<T> {
    return openTransaction.exit(() => outsideRequest(() => RequestContext.create(this.orm.em, work)));
  }

  private async begin<T>(actor: Actor, work: (tx: Transaction) => Promise<T>): Promise<T> {
    const hooks: TransactionHooks = { committed: [], failed: [] };
    const result = await this.runInTransaction(actor, work, hooks).catch((error: unknown) => {
      // Entities that were loaded before are shared with the transaction. If they stayed loaded, the next flush would
      // write their changes.
      this.orm.em.clear();
      for (const hook of hooks.failed) hook();
      throw error;
    });
    await this.runHooks(hooks.committed);
    return result;
  }

  private runInTransaction<T>(
    actor: Actor,
    work: (tx: Transaction) => Promise<T>,
    hooks: TransactionHooks,
  ): Promise<T> {
    return this.orm.em.transactional(async (em) => {
      const tx = new Transaction(actor, em, await connectionOf(em), hooks);
      try {
        return await this.runWork(tx, work);
      } finally {
        tx.close();
      }
    });
  }

  private async runWork<T>(tx: Transaction, work: (tx: Transaction) => Promise<T>): Promise<T> {
    this.changes.begin(tx);
    // The lock is the first statement, and its refusal comes first if both fail. The work need not wait for its answer.
    const locked = this.actors.lock(tx, tx.actor);
    const working = openTransaction.run(tx, async () => work(tx));
    await Promise.allSettled([locked, working]);
    await locked;
    const outcome = await working;
    await tx.em.flush();
    const written = await this.changes.statement(tx);
    if (written) tx.defer(written);
    return outcome;
  }

  private async runHooks(hooks: readonly CommitHook[]): Promise<void> {
    for (const hook of hooks) {
      try {
        await hook();
      } catch (error) {
        this.log.error({ err: error }, 'A step after a commit failed');
      }
    }
  }
}
