import { MikroOrmModule } from '@mikro-orm/nestjs';
import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { BigIntType, EntityManager } from '@mikro-orm/postgresql';
import { Module } from '@nestjs/common';
import { AppModule } from '../../src/app.module.js';
import { NotAudited } from '../../src/platform/audit/audited.js';
import { columnsOf, newJsonRows, newRow, newRows, type RowOf, typedRow } from '../../src/platform/database/columns.js';
import { Database, defineList, row, rows, sql } from '../../src/plugin.js';
import { startService } from '../support/service.js';

/** The value of a sensor. Its members have types of TypeScript and of the ORM, and none of PostgreSQL. */
@NotAudited('Tests make it.')
@Entity({ tableName: 'acme_reading' })
class Reading {
  @PrimaryKey()
  id!: number;

  @Property({ type: 'string' })
  place!: string;

  @Property({ length: 8 })
  unit!: string;

  @Property({ type: new BigIntType() })
  value!: bigint;

  @Property({ type: 'bigint' })
  ticks!: number;
}

const readingList = defineList(Reading, {
  sorts: { id: 'id', place: 'place', unit: 'unit', value: 'value', ticks: 'ticks' },
});

@Module({ imports: [AppModule, MikroOrmModule.forFeature([Reading])] })
class Root {}

const service = await startService({}, Root);
await service.database.rows(`
  create table acme_reading (
    id integer primary key,
    place varchar(255) not null,
    unit varchar(8) not null,
    value bigint not null,
    ticks bigint not null
  )`);
afterAll(() => service.stop());

const database = service.app.get(Database);
const LARGEST = 2n ** 63n - 1n;

const readings: RowOf<Reading>[] = [
  { id: 1, place: 'Roof', unit: 'lux', value: String(LARGEST), ticks: 3 },
  { id: 2, place: 'cellar', unit: 'Kelvin', value: String(LARGEST - 2n), ticks: 2 },
  { id: 3, place: 'Attic', unit: 'pascal', value: String(LARGEST - 1n), ticks: 1 },
];
const [first, second, third] = readings as [RowOf<Reading>, RowOf<Reading>, RowOf<Reading>];

beforeAll(async () => {
  await database.ask(row(sql`insert into acme_reading ${newRows(Reading, [first])} returning id`));
  await database.ask(row(sql`insert into acme_reading ${newJsonRows(Reading, [second])} returning id`));
  await database.ask(row(sql`insert into acme_reading select ${typedRow(Reading, third)} returning id`));
});

it('writes and reads all digits and texts of columns whose types PostgreSQL calls otherwise', async () => {
  const found = await database.ask(
    rows<RowOf<Reading>>(sql`select ${columnsOf(Reading)} from acme_reading order by id`),
  );
  expect(found).toEqual(readings);
});

it('does not cut a text that is longer than its column', async () => {
  const long = { ...first, id: 4, unit: 'megapascal' };
  for (const values of [newRows(Reading, [long]), newRow(Reading, long)]) {
    await expect(database.ask(row(sql`insert into acme_reading ${values} returning id`))).rejects.toThrow('too long');
  }
});

it.each([
  ['place', [3, 2, 1]],
  ['unit', [2, 1, 3]],
  ['value', [2, 3, 1]],
  ['ticks', [3, 2, 1]],
])('reads pages in the order of %s', async (sort, ids) => {
  for (const [order, expected] of [['asc', ids] as const, ['desc', ids.toReversed()] as const]) {
    const found: number[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const repository = service.app.get(EntityManager).fork().getRepository(Reading);
      const read = await readingList.page(repository, {}, { sort, order, limit: 1, cursor });
      found.push(...read.items.map(({ id }) => id));
      cursor = read.nextCursor;
    }
    expect(found).toEqual(expected);
  }
});

it('refuses a cursor with a number that is too large', async () => {
  const repository = service.app.get(EntityManager).fork().getRepository(Reading);
  const request = { sort: 'value', order: 'asc', limit: 1 } as const;
  const { nextCursor } = await readingList.page(repository, {}, request);
  const [fingerprint, , key] = JSON.parse(Buffer.from(nextCursor!, 'base64url').toString()) as unknown[];
  const cursor = Buffer.from(JSON.stringify([fingerprint, String(LARGEST + 1n), key])).toString('base64url');
  await expect(readingList.page(repository, {}, { ...request, cursor })).rejects.toThrow();
});
