import { type EntityManager, MikroORM } from '@mikro-orm/postgresql';
import { newId } from '../../src/kernel/ids.js';
import { RequestContext, runInRequest } from '../../src/platform/context/request-context.js';
import { Database } from '../../src/platform/database/database.js';
import { Reads } from '../../src/platform/database/reads.js';
import { planned, type Sql, sql } from '../../src/platform/database/sql.js';
import { Statements } from '../../src/platform/database/statements.js';
import { eventually } from '../support/eventually.js';
import { startService } from '../support/service.js';

const service = await startService();
const database = service.app.get(Database);
const statements = service.app.get(Statements);
afterAll(() => service.stop());

/** How many plans the connection keeps of a statement that is asked three times. */
function plansOf(statement: (value: number) => Sql): Promise<number> {
  return database.apart(() =>
    database.transaction({ kind: 'system' }, async (em) => {
      for (const value of [1, 2, 3]) expect(await statements.runIn(em, statement(value))).toEqual([{ told: value }]);
      const { text } = statement(0).toQuery();
      const plans = sql`select 1 from pg_prepared_statements where statement = ${text}`;
      return (await statements.runIn(em, plans)).length;
    }),
  );
}

it('plans a statement once for a connection where it is to be, and each time where not', async () => {
  expect(await plansOf((value) => planned`select ${value}::integer as told`)).toBe(1);
  expect(await plansOf((value) => sql`select ${value}::integer as told where true`)).toBe(0);
});

describe('a statement that is planned once for all values', () => {
  const forAll = (value: number) => sql`select ${value}::integer as told, 'for all' as how`.plannedForAll();
  const tooMuch = 2 ** 40;
  // With a value, since a statement without one is planned alike in any case.
  const plans = sql`
    select generic_plans::integer as "forAll", custom_plans::integer as "forOne", current_setting('plan_cache_mode') as mode
    from pg_prepared_statements where statement = ${forAll(0).toQuery().text}`;
  const inTransaction = <T>(work: (em: EntityManager) => Promise<T>) =>
    database.apart(() => database.transaction({ kind: 'system' }, work));

  it.each<[string, (em: EntityManager) => Promise<unknown>]>([
    ['one that went well', async () => undefined],
    ['one that failed by a statement', (em) => statements.runIn(em, forAll(tooMuch))],
    ['one that was given up', async () => Promise.reject(new Error('on purpose'))],
    ['one that did not heed a failure', (em) => statements.runIn(em, forAll(tooMuch)).catch(() => undefined)],
  ])('is, and no other, in a transaction behind %s', async (_what, end) => {
    const before = inTransaction(async (em) => {
      await statements.runIn(em, forAll(1));
      await end(em);
    });
    await before.catch(() => undefined);
    const told = await inTransaction(async (em) => {
      await statements.runIn(em, forAll(2));
      return statements.runIn(em, plans);
    });
    expect(told).toMatchObject([{ forOne: 0, mode: 'auto' }]);
  });

  it('is outside of a transaction too, and beside statements that nobody waits for', async () => {
    expect(await statements.run(forAll(3))).toEqual([{ told: 3, how: 'for all' }]);
    const told = await inTransaction(async (em) => {
      await statements.writeIn(em, sql`select ${1}::integer as late`);
      await statements.writeIn(em, forAll(4));
      return statements.runIn(em, plans);
    });
    expect(told).toMatchObject([{ forOne: 0, mode: 'auto' }]);
  });
});

it('sends a list once that a statement has twice', () => {
  const list = ['a', 'b'];
  expect(sql`select ${list}::text[], ${'a'}, ${list}::text[], ${'a'}`.toQuery()).toEqual({
    text: 'select $1::text[], $2, $1::text[], $3',
    values: [list, 'a', 'a'],
  });
});

it('cancels what a request asks when it is aborted, and nothing that others ask on its connection later', async () => {
  const reads = service.app.get(Reads);
  const gone = new Error('gone');
  const asked = async (seconds: number) => {
    const [told] = await reads.one<{ pid: number }>(sql`select pg_backend_pid() as pid, pg_sleep(${seconds}::float8)`);
    return told!.pid;
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

it('refuses a plan that the next migration would break', () => {
  expect(() => statements.run(planned`select * from app`)).toThrow(/names its columns/);
  expect(() => statements.run(planned`delete from app where id = ${'none'} returning *`)).toThrow(/names its columns/);
});

it('leaves nothing begun where the first statement of a transaction fails', async () => {
  const failing = () =>
    database.apart(() =>
      database.transaction({ kind: 'system' }, (em) => statements.runIn(em, sql`select 1 from no_such_table`)),
    );
  for (let time = 0; time < 20; time += 1) await expect(failing()).rejects.toThrow(/no_such_table/);
  // The service has transactions of its own, which pass.
  await eventually(
    () =>
      service.database.rows(
        `select 1 from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`,
      ),
    (open) => open.length === 0,
  );
});

it('says why a transaction is broken, whichever of the statements asked together is heard first', async () => {
  const failing = database.apart(() =>
    database.transaction({ kind: 'system' }, async (em) => {
      const first = statements.runIn(em, sql`select 1 from no_such_table`);
      // What it comes to is heard of a while after what the second one does.
      const later = first.finally(() => new Promise((resolve) => setImmediate(resolve)));
      await Promise.all([later, statements.runIn(em, sql`select 1`)]);
    }),
  );
  await expect(failing).rejects.toThrow(/no_such_table/);
});

it('sends nothing behind the end of a transaction', async () => {
  const projectId = newId('project');
  const branch = async (em: EntityManager) => {
    await statements.runIn(em, sql`select 1`);
    await statements.runIn(em, sql`insert into project (id, name, created_at) values (${projectId}, 'late', now())`);
  };
  let straggler = Promise.resolve();
  const failing = database.apart(() =>
    database.transaction({ kind: 'system' }, async (em) => {
      straggler = branch(em);
      straggler.catch(() => undefined);
      await Promise.reject(new Error('on purpose'));
    }),
  );
  await expect(failing).rejects.toThrow('on purpose');
  await expect(straggler).rejects.toThrow(/has ended/);
  expect(await service.database.rows('select from project where id = $1', [projectId])).toEqual([]);
});

it('sends statements of one transaction in the order in which they are asked', async () => {
  const told = await database.apart(() =>
    database.transaction({ kind: 'system' }, (em) =>
      Promise.all([
        statements.runIn(em, sql`select set_config('slipway.order', 'first', true)`),
        statements.runIn(em, sql`select current_setting('slipway.order') as told`),
        statements.runIn(em, sql`select set_config('slipway.order', 'last', true)`),
      ]),
    ),
  );
  expect(told[1]).toEqual([{ told: 'first' }]);
});

describe('a statement that goes with the next one', () => {
  const id = () => newId('project');
  const add = (em: EntityManager, projectId: string) =>
    statements.writeIn(em, planned`insert into project (id, name, created_at) values (${projectId}, 'late', now())`);
  const named = (projectId: string) => service.database.rows('select name from project where id = $1', [projectId]);
  const inTransaction = <T>(work: (em: EntityManager) => Promise<T>) =>
    database.apart(() => database.transaction({ kind: 'system' }, work));

  it('is seen by it', async () => {
    const projectId = id();
    const seen = await inTransaction(async (em) => {
      await add(em, projectId);
      return statements.runIn(em, sql`select name from project where id = ${projectId}`);
    });
    expect(seen).toEqual([{ name: 'late' }]);
  });

  it('is kept where nothing follows it but the commit', async () => {
    const projectId = id();
    await inTransaction((em) => add(em, projectId));
    expect(await named(projectId)).toEqual([{ name: 'late' }]);
  });

  it('fails the commit with its own reason, and with it all that stood before and behind it', async () => {
    const [before, twice, behind] = [id(), id(), id()];
    const failing = inTransaction(async (em) => {
      for (const each of [before, twice, twice, behind]) await add(em, each);
    });
    await expect(failing).rejects.toThrow(/duplicate key/);
    for (const each of [before, twice, behind]) expect(await named(each)).toEqual([]);
    // The connection is as good as before.
    await inTransaction((em) => add(em, twice));
    expect(await named(twice)).toHaveLength(1);
  });

  it('fails the next statement', async () => {
    const projectId = id();
    const failing = inTransaction(async (em) => {
      for (const each of [projectId, projectId]) await add(em, each);
      await expect(statements.runIn(em, sql`select 1`)).rejects.toThrow(/duplicate key/);
    });
    await expect(failing).rejects.toThrow(/not heeded/);
    expect(await named(projectId)).toEqual([]);
  });

  it('is refused where there is no transaction to go with', async () => {
    await database.apart(async () => {
      const em = service.app.get(MikroORM).em.fork();
      await expect(add(em, id())).rejects.toThrow(/inside its transaction/);
    });
  });

  it('goes where its transaction is given up', async () => {
    const projectId = id();
    const given = inTransaction(async (em) => {
      await add(em, projectId);
      throw new Error('on purpose');
    });
    await expect(given).rejects.toThrow('on purpose');
    expect(await named(projectId)).toEqual([]);
  });
});
