import type { Transaction } from '../../src/platform/database/transaction.js';
import { newId } from '../../src/kernel/ids.js';
import { RequestContext, runInRequest } from '../../src/platform/context/request-context.js';
import { Database } from '../../src/platform/database/database.js';
import { Reads } from '../../src/platform/database/reads.js';
import { demand, isUnmet } from '../../src/platform/database/demand.js';
import { planned, type Sql, sql } from '../../src/platform/database/sql.js';
import { rows, theRow, write } from '../../src/platform/database/statement.js';
import { eventually } from '../support/eventually.js';
import { startService } from '../support/service.js';

const service = await startService();
const database = service.app.get(Database);
afterAll(() => service.stop());

/** Counts the plans that the connection keeps of a statement that is sent three times. */
function plansOf(statement: (value: number) => Sql): Promise<number> {
  return database.apart(() =>
    database.transaction({ kind: 'system' }, async (tx) => {
      for (const value of [1, 2, 3]) expect(await tx.ask(rows(statement(value)))).toEqual([{ answer: value }]);
      const { text } = statement(0).toQuery();
      const plans = sql`select 1 from pg_prepared_statements where statement = ${text}`;
      return (await tx.ask(rows(plans))).length;
    }),
  );
}

it('plans a statement once per connection if it is to be prepared, and otherwise each time', async () => {
  expect(await plansOf((value) => planned`select ${value}::integer as answer`)).toBe(1);
  expect(await plansOf((value) => sql`select ${value}::integer as answer where true`)).toBe(0);
});

describe('a statement that is planned once for all values', () => {
  const forAll = (value: number) => sql`select ${value}::integer as answer, 'for all' as how`.plannedForAll();
  const tooMuch = 2 ** 40;
  // The statement has a value, because one without values is always planned only once.
  const plans = sql`
    select generic_plans::integer as "forAll", custom_plans::integer as "forOne", current_setting('plan_cache_mode') as mode
    from pg_prepared_statements where statement = ${forAll(0).toQuery().text}`;
  const inTransaction = <T>(work: (tx: Transaction) => Promise<T>) =>
    database.apart(() => database.transaction({ kind: 'system' }, work));

  it.each<[string, (tx: Transaction) => Promise<unknown>]>([
    ['one that went well', async () => undefined],
    ['one that failed by a statement', (tx) => tx.ask(rows(forAll(tooMuch)))],
    ['one that was given up', async () => Promise.reject(new Error('on purpose'))],
    ['one that did not heed a failure', (tx) => tx.ask(rows(forAll(tooMuch))).catch(() => undefined)],
  ])('is prepared in a transaction after %s, and no other is', async (_what, end) => {
    const before = inTransaction(async (tx) => {
      await tx.ask(rows(forAll(1)));
      await end(tx);
    });
    await before.catch(() => undefined);
    const answer = await inTransaction(async (tx) => {
      await tx.ask(rows(forAll(2)));
      return tx.ask(rows(plans));
    });
    expect(answer).toMatchObject([{ forOne: 0, mode: 'auto' }]);
  });

  it('is prepared outside of a transaction too, and beside statements without a waiting caller', async () => {
    expect(await database.ask(rows(forAll(3)))).toEqual([{ answer: 3, how: 'for all' }]);
    const answer = await inTransaction(async (tx) => {
      tx.defer(write(sql`select ${1}::integer as late`));
      tx.defer(write(forAll(4)));
      return tx.ask(rows(plans));
    });
    expect(answer).toMatchObject([{ forOne: 0, mode: 'auto' }]);
  });
});

it('sends a list once that a statement has twice', () => {
  const list = ['a', 'b'];
  expect(sql`select ${list}::text[], ${'a'}, ${list}::text[], ${'a'}`.toQuery()).toEqual({
    text: 'select $1::text[], $2, $1::text[], $3',
    values: [list, 'a', 'a'],
  });
});

it('cancels the statement of an aborted request, and no later statement on its connection', async () => {
  const reads = service.app.get(Reads);
  const gone = new Error('gone');
  const asked = async (seconds: number) => {
    const query = sql`select pg_backend_pid() as pid, pg_sleep(${seconds}::float8)`;
    return (await reads.one(theRow<{ pid: number }>(query))).pid;
  };
  const waiting = new RequestContext(newId('request'), undefined);
  const cancelled = runInRequest(waiting, () => asked(20));
  setTimeout(() => waiting.abort(gone), 100);
  await expect(cancelled).rejects.toBe(gone);

  await eventually(
    async () => {
      const done = new RequestContext(newId('request'), undefined);
      const first = await runInRequest(done, () => asked(0));
      const next = asked(0.2);
      done.abort(gone);
      return first === (await next);
    },
    (isSameConnection) => isSameConnection,
  );
});

it('refuses to prepare a statement that the next migration would break', () => {
  expect(() => planned`select * from app`.toQuery()).toThrow(/names its columns/);
  expect(() => planned`delete from app where id = ${'none'} returning *`.toQuery()).toThrow(/names its columns/);
});

it.each([
  ['commits everything', 'met', true],
  ['commits nothing', 'not met', false],
])('%s if a demand is %s, although the commit does not wait for the answer', async (_what, _how, isMet) => {
  const projectId = newId('project');
  const committing = database.apart(() =>
    database.transaction({ kind: 'system' }, async (tx) => {
      tx.defer(write(sql`insert into project (id, name, created_at) values (${projectId}, 'demanding', now())`));
      tx.defer(write(planned`select ${demand(sql`${isMet}::boolean`, 'a test')}`));
    }),
  );
  const failure: unknown = await committing.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(failure !== undefined && isUnmet(failure, 'a test')).toBe(!isMet);
  expect(isUnmet(failure, 'another')).toBe(false);
  const kept = await service.database.rows('select id from project where id = $1', [projectId]);
  expect(kept).toHaveLength(isMet ? 1 : 0);
});

it('leaves no open transaction if its first statement fails', async () => {
  const failing = () =>
    database.apart(() =>
      database.transaction({ kind: 'system' }, (tx) => tx.ask(rows(sql`select 1 from no_such_table`))),
    );
  for (let time = 0; time < 20; time += 1) await expect(failing()).rejects.toThrow(/no_such_table/);
  // The service has transactions of its own, which end after a moment.
  await eventually(
    () =>
      service.database.rows(
        `select 1 from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`,
      ),
    (open) => open.length === 0,
  );
});

it('says why a transaction is broken, whichever of its statements is answered first', async () => {
  const failing = database.apart(() =>
    database.transaction({ kind: 'system' }, async (tx) => {
      const first = tx.ask(rows(sql`select 1 from no_such_table`));
      // The outcome of the first statement is seen a while after that of the second.
      const later = first.finally(() => new Promise((resolve) => setImmediate(resolve)));
      await Promise.all([later, tx.ask(rows(sql`select 1`))]);
    }),
  );
  await expect(failing).rejects.toThrow(/no_such_table/);
});

it('sends nothing after the end of a transaction', async () => {
  const projectId = newId('project');
  const branch = async (tx: Transaction) => {
    await tx.ask(rows(sql`select 1`));
    await tx.ask(rows(sql`insert into project (id, name, created_at) values (${projectId}, 'late', now())`));
  };
  let straggler = Promise.resolve();
  const failing = database.apart(() =>
    database.transaction({ kind: 'system' }, async (tx) => {
      straggler = branch(tx);
      straggler.catch(() => undefined);
      await Promise.reject(new Error('on purpose'));
    }),
  );
  await expect(failing).rejects.toThrow('on purpose');
  await expect(straggler).rejects.toThrow(/has ended/);
  expect(await service.database.rows('select from project where id = $1', [projectId])).toEqual([]);
});

it('sends statements of one transaction in the order in which they are asked', async () => {
  const answer = await database.apart(() =>
    database.transaction({ kind: 'system' }, (tx) =>
      Promise.all([
        tx.ask(rows(sql`select set_config('slipway.order', 'first', true)`)),
        tx.ask(rows(sql`select current_setting('slipway.order') as answer`)),
        tx.ask(rows(sql`select set_config('slipway.order', 'last', true)`)),
      ]),
    ),
  );
  expect(answer[1]).toEqual([{ answer: 'first' }]);
});

describe('a statement that goes with the next one', () => {
  const id = () => newId('project');
  const add = (tx: Transaction, projectId: string) =>
    tx.defer(write(planned`insert into project (id, name, created_at) values (${projectId}, 'late', now())`));
  const named = (projectId: string) => service.database.rows('select name from project where id = $1', [projectId]);
  const inTransaction = <T>(work: (tx: Transaction) => Promise<T>) =>
    database.apart(() => database.transaction({ kind: 'system' }, work));

  it('is visible to it', async () => {
    const projectId = id();
    const seen = await inTransaction(async (tx) => {
      add(tx, projectId);
      return tx.ask(rows(sql`select name from project where id = ${projectId}`));
    });
    expect(seen).toEqual([{ name: 'late' }]);
  });

  it('is committed if only the commit follows it', async () => {
    const projectId = id();
    await inTransaction(async (tx) => add(tx, projectId));
    expect(await named(projectId)).toEqual([{ name: 'late' }]);
  });

  it('fails the commit with its own reason, and with it all other statements', async () => {
    const [before, twice, behind] = [id(), id(), id()];
    const failing = inTransaction(async (tx) => {
      for (const each of [before, twice, twice, behind]) add(tx, each);
    });
    await expect(failing).rejects.toThrow(/duplicate key/);
    for (const each of [before, twice, behind]) expect(await named(each)).toEqual([]);
    // The connection still works.
    await inTransaction(async (tx) => add(tx, twice));
    expect(await named(twice)).toHaveLength(1);
  });

  it('fails the next statement', async () => {
    const projectId = id();
    const failing = inTransaction(async (tx) => {
      for (const each of [projectId, projectId]) add(tx, each);
      await expect(tx.ask(rows(sql`select 1`))).rejects.toThrow(/duplicate key/);
    });
    await expect(failing).rejects.toThrow(/ignored the failure/);
    expect(await named(projectId)).toEqual([]);
  });

  it('is dropped with its abandoned transaction', async () => {
    const projectId = id();
    const given = inTransaction(async (tx) => {
      add(tx, projectId);
      throw new Error('on purpose');
    });
    await expect(given).rejects.toThrow('on purpose');
    expect(await named(projectId)).toEqual([]);
  });
});
