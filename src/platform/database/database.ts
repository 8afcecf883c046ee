import { MikroORM, RequestContext } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { type Actor, actorId } from '../../kernel/actor.js';
import { outsideRequest } from '../context/request-context.js';
import { Log } from '../telemetry/log.js';
import { ActorHold } from './actor-hold.js';
import { ChangeLog } from './change-log.js';
import { connectionOf } from './dialect.js';
import { openTransaction } from './open-transaction.js';
import type { Answers, Statement } from './statement.js';
import { Statements } from './statements.js';
import { type Notice, type Notices, Transaction } from './transaction.js';

@Injectable()
export class Database {
  constructor(
    private readonly orm: MikroORM,
    private readonly actors: ActorHold,
    private readonly changes: ChangeLog,
    private readonly statements: Statements,
    private readonly log: Log,
  ) {}

  /**
   * One use case, all or nothing; a use case within another joins its transaction. Holds the actor's key until the
   * commit, so that revoking the key and what the key writes take turns: either the key is still good when the effect
   * commits, or there is no effect. What it changes of audited entities is in the audit, with who did it.
   */
  async transaction<T>(actor: Actor, work: (tx: Transaction) => Promise<T>): Promise<T> {
    const outer = openTransaction.getStore();
    if (!outer) return this.begin(actor, work);
    if (actorId(outer.actor) !== actorId(actor)) throw new Error('One transaction cannot be two actors’');
    return work(outer);
  }

  /** Asks for one statement: in the open transaction where there is one, else on a connection of its own. */
  ask<Answer>(statement: Statement<Answer>): Promise<Answer> {
    return this.statements.ask(statement);
  }

  /** The same for several that do not need each other's answers, in one packet. */
  askAll<const Asked extends readonly Statement<unknown>[]>(statements: Asked): Promise<Answers<Asked>> {
    return this.statements.askAll(statements);
  }

  /** Work that no request asked for, with an entity manager of its own. */
  apart<T>(work: () => Promise<T>): Promise<T> {
    return openTransaction.exit(() => outsideRequest(() => RequestContext.create(this.orm.em, work)));
  }

  private async begin<T>(actor: Actor, work: (tx: Transaction) => Promise<T>): Promise<T> {
    const notices: Notices = { committed: [], failed: [] };
    const result = await this.committed(actor, work, notices).catch((error: unknown) => {
      // What was loaded before is shared with the transaction: changed and not kept, the next one would write it.
      this.orm.em.clear();
      for (const notice of notices.failed) notice();
      throw error;
    });
    await this.tell(notices.committed);
    return result;
  }

  private committed<T>(actor: Actor, work: (tx: Transaction) => Promise<T>, notices: Notices): Promise<T> {
    return this.orm.em.transactional(async (em) => {
      const tx = new Transaction(actor, em, await connectionOf(em), notices);
      try {
        return await this.done(tx, work);
      } finally {
        tx.close();
      }
    });
  }

  private async done<T>(tx: Transaction, work: (tx: Transaction) => Promise<T>): Promise<T> {
    this.changes.begin(tx);
    // Asked first, and heeded first where both fail; the work need not wait for the answer.
    const held = this.actors.hold(tx, tx.actor);
    const working = openTransaction.run(tx, async () => work(tx));
    await Promise.allSettled([held, working]);
    await held;
    const outcome = await working;
    await tx.em.flush();
    const written = await this.changes.statement(tx);
    if (written) tx.defer(written);
    return outcome;
  }

  private async tell(notices: readonly Notice[]): Promise<void> {
    for (const notice of notices) {
      try {
        await notice();
      } catch (error) {
        this.log.error({ err: error }, 'A notice after a commit failed');
      }
    }
  }
}
