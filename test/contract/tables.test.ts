import { MikroORM } from '@mikro-orm/postgresql';
import { TABLES_WITHOUT_ENTITY } from '../../src/platform/plugins/tables-without-entity.js';
import { startService } from '../support/service.js';

const service = await startService();
afterAll(() => service.stop());

const { database } = service;
const ofEntities = [...service.app.get(MikroORM).getMetadata().getAll().values()].map(({ tableName }) => tableName);
const listed = Object.keys(TABLES_WITHOUT_ENTITY);

async function forgotten(): Promise<string[]> {
  return (await database.tables()).filter((table) => !ofEntities.includes(table) && !listed.includes(table));
}

it('has an entity for every table, or a reason why there is none', async () => {
  expect(await forgotten()).toEqual([]);
});

it('names a table that has neither', async () => {
  await database.rows('create table forgotten (id text)');
  expect(await forgotten()).toEqual(['forgotten']);
  await database.rows('drop table forgotten');
});

it('lists no table that has an entity or does not exist', async () => {
  expect(listed.filter((table) => ofEntities.includes(table))).toEqual([]);
  const tables = await database.tables();
  expect(listed.filter((table) => !tables.includes(table))).toEqual([]);
});

it.each(Object.entries(TABLES_WITHOUT_ENTITY))('says in a sentence what %s is', (_, reason) => {
  expect(reason).toMatch(/^[A-Z][^.]{10,}\.$/);
});
