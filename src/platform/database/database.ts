import { type EntityManager, MikroORM, RequestContext } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { type Actor, actorId } from '../../kernel/actor.js';
import { outsideRequest } from '../context/request-context.js';
import { Log } from '../telemetry/log.js';
import { ActorHold } from './actor-hold.js';
import { ChangeLog } from './change-log.js';
import { type Notice, openTransaction } from './open-transaction.js';
import { clientOf } from './transaction-client.js';

@Injectable()
export class Database {
  constructor(
    private readonly orm: MikroORM,
    private readonly actors: ActorHold,
    private readonly changes: ChangeLog,
    private readonly log: Log,
  ) {}

  /**
   * One use case, all or nothing; a use case within another joins its transaction. Holds the actor's key until the
   * commit, so that revoking the key and what the key writes take turns: either the key is still good when the effect
   * commits, or there is no effect. What it changes of audited entities is in the audit, with who did it.
   */
  async transaction<T>(actor: Actor, work: (em: EntityManager) => Promise<T>): Promise<T> {
    const outer = openTransaction.getStore();
    if (!outer) return this.begin(actor, work);
    if (actorId(outer.actor) !== actorId(actor)) throw new Error('One transaction cannot be two actors’');
    return work(outer.em);
  }

  /** Work that no request asked for, with an entity manager of its own. */
  apart<T>(work: () => Promise<T>): Promise<T> {
    return openTransaction.exit(() => outsideRequest(() => RequestContext.create(this.orm.em, work)));
  }

  /** Runs after the commit and never without one. It may be lost: what was promised to a user is no notice. */
  afterCommit(notice: Notice): void {
    const transaction = openTransaction.getStore();
    if (!transaction) throw new Error('afterCommit is for use inside a transaction');
    transaction.notices.push(notice);
  }

  private async begin<T>(actor: Actor, work: (em: EntityManager) => Promise<T>): Promise<T> {
    const notices: Notice[] = [];
    const result = await this.committed(actor, work, notices).catch((error: unknown) => {
      // What was loaded before is shared with the transaction: changed and not kept, the next one would write it.
      this.orm.em.clear();
      throw error;
    });
    await this.tell(notices);
    return result;
  }

  private committed<T>(actor: Actor, work: (em: EntityManager) => Promise<T>, notices: Notice[]): Promise<T> {
    return this.orm.em.transactional(async (em) => {
      this.changes.begin(em);
      // Known from here on, so that statements are sent in the order in which they are asked.
      await clientOf(em);
      // Asked first, and heeded first where both fail; the work need not wait for the answer.
      const held = this.actors.hold(em, actor);
      const working = openTransaction.run({ actor, em, notices }, async () => work(em));
      await Promise.allSettled([held, working]);
      await held;
      const outcome = await working;
      await em.flush();
      await this.changes.write(em, actor);
      return outcome;
    });
  }

  private async tell(notices: Notice[]): Promise<void> {
    for (const notice of notices) {
      try {
        await notice();
      } catch (error) {
        this.log.error({ err: error }, 'A notice after a commit failed');
      }
    }
  }
}
