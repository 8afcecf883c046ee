import { SYSTEM } from '../../src/kernel/actor.js';
import { newId } from '../../src/kernel/ids.js';
import { Database } from '../../src/platform/database/database.js';
import { planned, sql } from '../../src/platform/database/sql.js';
import { asOne, rows, theRow, write } from '../../src/platform/database/statement.js';
import { startService } from '../support/service.js';

const service = await startService();
const database = service.app.get(Database);
afterAll(() => service.stop());

const add = (id: string, name: string) =>
  write(planned`insert into project (id, name, created_at) values (${id}, ${name}, now())`);
const named = (name: string) => rows<{ name: string }>(sql`select name from project where name = ${name}`);

it('writes what all its statements write, and returns the result of the last one', async () => {
  const [first, second, third] = [newId('project'), newId('project'), newId('project')];
  const main = theRow<{ id: string }>(
    planned`with added as (insert into project (id, name, created_at) values (${third}, 'one', now()) returning id)
            select id from added`,
  );
  const answer = await database.apart(() =>
    database.transaction(SYSTEM, (tx) => tx.ask(asOne([add(first, 'one'), add(second, 'one')], main))),
  );
  expect(answer).toEqual({ id: third });
  expect(await database.ask(named('one'))).toHaveLength(3);
});

it('is one statement, in which no part sees what another part writes', async () => {
  const seen = asOne([add(newId('project'), 'unseen')], named('unseen'));
  expect(seen.sql.toQuery().text).toMatch(/^with write_1 as \(insert into project .*\) select name from project/s);
  expect(await database.ask(seen)).toEqual([]);
  expect(await database.ask(named('unseen'))).toHaveLength(1);
});

it('writes nothing if one of its parts fails', async () => {
  const id = newId('project');
  await expect(database.ask(asOne([add(id, 'twice')], add(id, 'twice')))).rejects.toThrow(/duplicate key/);
  expect(await database.ask(named('twice'))).toEqual([]);
});

it('sends independent statements in one packet, and the failure of one does not fail another', async () => {
  const id = newId('project');
  expect(await database.askAll([add(id, 'apart'), named('apart')])).toEqual([undefined, [{ name: 'apart' }]]);
  await expect(database.askAll([add(id, 'apart'), add(newId('project'), 'beside')])).rejects.toThrow(/duplicate key/);
  expect(await database.ask(named('beside'))).toHaveLength(1);
});
