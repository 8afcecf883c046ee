import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { newId } from '../../kernel/ids.js';
import { Database } from '../database/database.js';
import { databaseErrors } from '../database/database.errors.js';
import { refuseInTransaction } from '../database/open-transaction.js';
import type { Sql } from '../database/sql.js';
import { asOne, type Statement } from '../database/statement.js';
import type { Transaction } from '../database/transaction.js';
import { Log } from '../telemetry/log.js';
import { fromStorageFault } from './storage.errors.js';
import { type ByteRange, type Content, Storage } from './storage.js';
import * as unkept from './unkept-objects.statements.js';
import { DOOMED_AT_ONCE, type ObjectName } from './unkept-objects.statements.js';

export type { ObjectName } from './unkept-objects.statements.js';

/**
 * Objects in the store, and the one list of those that nobody keeps. An object stands there before its first byte is
 * written, and leaves it in the transaction that keeps it; so whatever crashes, what is not kept is found and removed
 * without ever looking through the store.
 */
@Injectable()
export class StoredObjects {
  /** What this process has written, until it knows that it is kept or removes it. */
  private readonly unkept = new Set<ObjectName>();

  constructor(
    private readonly storage: Storage,
    private readonly database: Database,
    private readonly log: Log,
  ) {}

  /**
   * For who asks something before a content arrives, and announces its object with that, where the condition holds. The
   * object is written then, or withdrawn.
   */
  announcing(name: ObjectName, condition: Sql): Statement<void> {
    return unkept.announce(name, condition);
  }

  /** Nothing of it was written, and nothing will be. What fails here is left to the sweeper. */
  async withdraw(name: ObjectName): Promise<void> {
    await this.database.ask(unkept.forget([name])).catch(() => undefined);
  }

  /** The object is whole and durable when this returns, and goes again unless it is kept within the hour. */
  async write(content: Content, announced?: ObjectName): Promise<ObjectName> {
    refuseInTransaction();
    const name = announced ?? newId('storedObject');
    if (!announced) await this.database.ask(unkept.announce(name));
    this.unkept.add(name);
    const source = new Source(content);
    try {
      await this.storage.write(name, source);
      return name;
    } catch (error) {
      await this.discard(name);
      throw source.fault ?? fromStorageFault(error);
    }
  }

  /** In the transaction of what refers to it, which is written in the same statement. Refuses what is gone already. */
  keeping(tx: Transaction, name: ObjectName, references: readonly Statement<unknown>[]): Statement<void> {
    return asOne(references, this.keep(tx, name)).as((isKept) => {
      if (!isKept) throw databaseErrors.conflict();
    });
  }

  /** The same as part of a longer statement, which has to refuse where it is false. */
  keep(tx: Transaction, name: ObjectName): Statement<boolean> {
    tx.afterCommit(() => void this.unkept.delete(name));
    return unkept.keep(name);
  }

  /** In the transaction of what referred to it, which is the only one that did. */
  lettingGo(names: readonly ObjectName[]): Statement<void> {
    return unkept.letGo(names);
  }

  /** The same of those that a query finds. */
  lettingGoOf(query: Sql): Statement<void> {
    return unkept.letGoOf(query);
  }

  async read(name: ObjectName, range: ByteRange): Promise<Readable> {
    try {
      return await this.storage.read(name, range);
    } catch (error) {
      throw fromStorageFault(error);
    }
  }

  /** What this process wrote, at once, unless it is kept. What fails here is left to the sweeper. */
  async discard(name: ObjectName): Promise<void> {
    if (!this.unkept.delete(name)) return;
    try {
      await this.removeDoomed(unkept.doom(name));
    } catch (error) {
      this.log.warn({ err: error, object: name }, 'An object that nobody keeps is left for the sweeper');
    }
  }

  /** Removes what is due. Returns how much that was. */
  async sweep(signal: AbortSignal): Promise<number> {
    let removed = 0;
    for (let some = DOOMED_AT_ONCE; some === DOOMED_AT_ONCE && !signal.aborted; removed += some) {
      some = await this.removeDoomed(unkept.doomDue());
    }
    return removed;
  }

  /** Returns how many. */
  private async removeDoomed(doom: Statement<ObjectName[]>): Promise<number> {
    const names = await this.database.ask(doom);
    if (names.length === 0) return 0;
    await Promise.all(names.map((name) => this.storage.remove(name)));
    await this.database.ask(unkept.forget(names));
    return names.length;
  }
}

/** Tells a content that failed to arrive from a store that failed to take it. */
class Source implements Content {
  fault: Error | undefined;

  constructor(private readonly content: Content) {}

  async *[Symbol.asyncIterator](): AsyncIterator<Buffer> {
    try {
      yield* this.content;
    } catch (error) {
      this.fault = error as Error;
      throw error;
    }
  }
}
