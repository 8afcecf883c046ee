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
 * Objects in the storage, and the list of those that no row refers to. An object is on the list before its first byte
 * is written, and leaves it in the transaction that keeps it. Even after a crash, unkept objects are therefore found
 * and removed without a search through the storage.
 */
@Injectable()
export class StoredObjects {
  /** The objects that this process has written, until they are kept or removed. */
  private readonly unkept = new Set<ObjectName>();

  constructor(
    private readonly storage: Storage,
    private readonly database: Database,
    private readonly log: Log,
  ) {}

  /**
   * Announces an object in another statement, if the condition holds, for callers that send such a statement before the
   * content arrives. The object is then written or withdrawn.
   */
  announcing(name: ObjectName, condition: Sql): Statement<void> {
    return unkept.announce(name, condition);
  }

  /** Withdraws an announced object of which nothing was written. If this fails, the sweeper does it. */
  async withdraw(name: ObjectName): Promise<void> {
    await this.database.ask(unkept.forget([name])).catch(() => undefined);
  }

  /**
   * Writes an object. It is complete and durable when this returns, and is removed unless it is kept within the hour.
   */
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

  /**
   * Keeps an object in the transaction of the rows that refer to it, which are written in the same statement. Refuses
   * if the object is already being removed.
   */
  keeping(tx: Transaction, name: ObjectName, references: readonly Statement<unknown>[]): Statement<void> {
    return asOne(references, this.keep(tx, name)).as((isKept) => {
      if (!isKept) throw databaseErrors.conflict();
    });
  }

  /** Keeps an object as part of a longer statement, which has to refuse if the answer is false. */
  keep(tx: Transaction, name: ObjectName): Statement<boolean> {
    tx.afterCommit(() => void this.unkept.delete(name));
    return unkept.keep(name);
  }

  /** Releases objects for removal in the transaction that removes the only reference to them. */
  releasing(names: readonly ObjectName[]): Statement<void> {
    return unkept.release(names);
  }

  /** Releases the objects that a query finds. */
  releasingSelected(query: Sql): Statement<void> {
    return unkept.releaseSelected(query);
  }

  async read(name: ObjectName, range: ByteRange): Promise<Readable> {
    try {
      return await this.storage.read(name, range);
    } catch (error) {
      throw fromStorageFault(error);
    }
  }

  /** Removes an object of this process at once unless it is kept. If this fails, the sweeper does it. */
  async discard(name: ObjectName): Promise<void> {
    if (!this.unkept.delete(name)) return;
    try {
      await this.removeDoomed(unkept.doom(name));
    } catch (error) {
      this.log.warn(
        { err: error, object: name },
        'An object that no row refers to could not be deleted; the sweeper tries again',
      );
    }
  }

  /** Removes the objects that are due, and returns their number. */
  async sweep(signal: AbortSignal): Promise<number> {
    let removed = 0;
    for (let some = DOOMED_AT_ONCE; some === DOOMED_AT_ONCE && !signal.aborted; removed += some) {
      some = await this.removeDoomed(unkept.doomDue());
    }
    return removed;
  }

  /** Returns the number of removed objects. */
  private async removeDoomed(doom: Statement<ObjectName[]>): Promise<number> {
    const names = await this.database.ask(doom);
    if (names.length === 0) return 0;
    const outcomes = await Promise.allSettled(names.map((name) => this.storage.remove(name)));
    await this.database.ask(unkept.forget(names.filter((_, at) => outcomes[at]!.status === 'fulfilled')));
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed) throw failed.reason;
    return names.length;
  }
}

/** Distinguishes a content that failed to arrive from a storage that failed to take it. */
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
