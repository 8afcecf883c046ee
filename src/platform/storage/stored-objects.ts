import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { Readable } from 'node:stream';
import { clock } from '../../kernel/clock.js';
import { type Id, newId } from '../../kernel/ids.js';
import { databaseErrors } from '../database/database.errors.js';
import { refuseInTransaction } from '../database/open-transaction.js';
import { planned } from '../database/sql.js';
import { Statements } from '../database/statements.js';
import { Log } from '../telemetry/log.js';
import { fromStorageFault } from './storage.errors.js';
import { type ByteRange, type Content, Storage } from './storage.js';

export type ObjectName = Id<'storedObject'>;

/** Longer than any request takes to arrive: what is still not kept then, nobody will keep. */
const WRITE_WITHIN_MS = 3_600_000;
/** Whoever began to read something before it was let go may finish. */
const READ_ON_MS = 600_000;
/** When the next process tries to remove what one died over. */
const TRY_AGAIN_MS = 60_000;
const SWEPT_AT_ONCE = 100;

/**
 * Objects in the store, and the one list of those that nobody keeps. An object stands there before its first byte is
 * written, and leaves it in the transaction that keeps it; so whatever crashes, what is not kept is found and removed
 * without ever looking through the store.
 */
@Injectable()
export class StoredObjects {
  constructor(
    private readonly storage: Storage,
    private readonly statements: Statements,
    private readonly log: Log,
  ) {}

  /** The object is whole and durable when this returns, and goes again unless it is kept within the hour. */
  async write(content: Content): Promise<ObjectName> {
    refuseInTransaction();
    const name = newId('storedObject');
    const dueAt = inFuture(WRITE_WITHIN_MS);
    await this.statements.run(planned`insert into unkept_object (name, due_at) values (${name}, ${dueAt})`);
    const source = new Source(content);
    try {
      await this.storage.write(name, source);
      return name;
    } catch (error) {
      await this.discard(name);
      throw source.fault ?? fromStorageFault(error);
    }
  }

  /** In the transaction of what refers to it. */
  async keep(em: EntityManager, name: ObjectName): Promise<void> {
    const rows = await this.statements.runIn(
      em,
      planned`delete from unkept_object where name = ${name} and not is_doomed returning name`,
    );
    if (rows.length === 0) throw databaseErrors.conflict();
  }

  /** In the transaction of what referred to it, which is the only one that did. */
  async letGo(em: EntityManager, names: readonly ObjectName[]): Promise<void> {
    await this.statements.writeIn(
      em,
      planned`insert into unkept_object (name, due_at)
              select name, ${inFuture(READ_ON_MS)} from unnest(${names}::text[]) as name`,
    );
  }

  async read(name: ObjectName, range: ByteRange): Promise<Readable> {
    try {
      return await this.storage.read(name, range);
    } catch (error) {
      throw fromStorageFault(error);
    }
  }

  /** At once, unless it is kept. What fails here is left to the sweeper. */
  async discard(name: ObjectName): Promise<void> {
    try {
      await this.remove(await this.doom('name = $2', name));
    } catch (error) {
      this.log.warn({ err: error, object: name }, 'An object that nobody keeps is left for the sweeper');
    }
  }

  /** Removes what is due. Returns how much that was. */
  async sweep(signal: AbortSignal): Promise<number> {
    let removed = 0;
    for (let some = SWEPT_AT_ONCE; some === SWEPT_AT_ONCE && !signal.aborted; removed += some) {
      const names = await this.doom('due_at < $2', clock.now());
      await this.remove(names);
      some = names.length;
    }
    return removed;
  }

  /** From here on nobody can keep them. Another process tries again, should this one die before they are removed. */
  private async doom(condition: string, value: string | Date): Promise<ObjectName[]> {
    const rows = await this.statements.run<{ name: ObjectName }>(
      `update unkept_object set is_doomed = true, due_at = $1 where name = any(array(
         select name from unkept_object where ${condition} order by due_at limit ${SWEPT_AT_ONCE}
         for update skip locked))
       returning name`,
      [inFuture(TRY_AGAIN_MS), value],
    );
    return rows.map(({ name }) => name);
  }

  private async remove(names: ObjectName[]): Promise<void> {
    if (names.length === 0) return;
    await Promise.all(names.map((name) => this.storage.remove(name)));
    await this.statements.run('delete from unkept_object where name = any($1)', [names]);
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

function inFuture(milliseconds: number): Date {
  return new Date(clock.now().getTime() + milliseconds);
}
