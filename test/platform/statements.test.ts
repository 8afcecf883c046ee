import { Database } from '../../src/platform/database/database.js';
import { planned, type Sql, sql } from '../../src/platform/database/sql.js';
import { Statements } from '../../src/platform/database/statements.js';
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
  const open = await service.database.rows(
    `select 1 from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`,
  );
  expect(open).toEqual([]);
});
