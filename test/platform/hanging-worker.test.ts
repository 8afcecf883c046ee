import { SYSTEM } from '../../src/kernel/actor.js';
import { Database } from '../../src/platform/database/database.js';
import { isOutage } from '../../src/platform/database/database.errors.js';
import type { Transaction } from '../../src/platform/database/transaction.js';
import { startService } from '../support/service.js';

const service = await startService({ SLIPWAY_ROLE: 'worker' });
const database = service.app.get(Database);
afterAll(() => service.stop());

const change = (value: string, more: (tx: Transaction) => Promise<void> = async () => undefined) =>
  database.apart(() =>
    database.transaction(SYSTEM, async (tx) => {
      await tx.em.execute('update shared set value = ?', [value]);
      await more(tx);
    }),
  );

it('ends the locks of a transaction that hangs in a worker before the waits of others end', async () => {
  await service.database.rows(`create table shared as select 'before' as value`);
  const end = Promise.withResolvers<void>();
  const hasLock = Promise.withResolvers<void>();
  const hanging = change('hanging', async () => {
    hasLock.resolve();
    await end.promise;
  });
  await hasLock.promise;
  await change('after');
  end.resolve();
  // An attempt that ends in this way is not counted.
  expect(isOutage(await hanging.catch((error: unknown) => error))).toBe(true);
  expect(await service.database.rows('select value from shared')).toEqual([{ value: 'after' }]);
});
