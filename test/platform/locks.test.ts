import { SYSTEM } from '../../src/kernel/actor.js';
import { LOCKS, type LockName } from '../../src/kernel/locks.js';
import { Database } from '../../src/platform/database/database.js';
import { sql } from '../../src/platform/database/sql.js';
import { write } from '../../src/platform/database/statement.js';
import type { Transaction } from '../../src/platform/database/transaction.js';
import { startService } from '../support/service.js';

const service = await startService();
const database = service.app.get(Database);
afterAll(() => service.stop());

/** Makes a statement that declares that it takes a lock. */
const taking = (lock: LockName) => write(sql`select 1`).taking(lock);
const inTransaction = <T>(work: (tx: Transaction) => Promise<T>) =>
  database.apart(() => database.transaction(SYSTEM, work));

it('takes locks in their order, and again those that it has', async () => {
  await inTransaction(async (tx) => {
    await tx.askAll(LOCKS.map(taking));
    await tx.ask(taking('session'));
  });
});

it.each(LOCKS.slice(1).map((later, at): [LockName, LockName] => [LOCKS[at]!, later]))(
  'refuses %s after %s, however it is requested',
  async (earlier, later) => {
    const refused = new RegExp(`'${earlier}' comes before ${later}`);
    await expect(inTransaction((tx) => tx.askAll([taking(later), taking(earlier)]))).rejects.toThrow(refused);
    const deferred = async (tx: Transaction) => {
      tx.defer(taking(later));
      tx.defer(taking(earlier));
    };
    await expect(inTransaction(deferred)).rejects.toThrow(refused);
  },
);
