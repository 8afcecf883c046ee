import { isSealedName, type SealedColumn, sealedColumns } from '../../src/platform/crypto/sealed-column.js';
import { startService } from '../support/service.js';

const service = await startService();
afterAll(() => service.stop());

/** The sealed columns of the database, as `table.column`. */
async function sealedInDatabase(): Promise<string[]> {
  const columns = await service.database.rows<{ table: string; column: string }>(
    `select table_name as table, column_name as column from information_schema.columns where table_schema = 'public'`,
  );
  return columns.filter(({ column }) => isSealedName(column)).map(nameOf);
}

const nameOf = ({ table, column }: Pick<SealedColumn, 'table' | 'column'>) => `${table}.${column}`;

it('has a definition for every sealed column, and a column for every definition', async () => {
  expect((await sealedInDatabase()).sort()).toEqual(sealedColumns().map(nameOf).sort());
});

it('names a sealed column without a definition', async () => {
  await service.database.rows('create table forgotten (id text, token_sealed text)');
  expect(await sealedInDatabase()).toContain('forgotten.token_sealed');
  expect(sealedColumns().map(nameOf)).not.toContain('forgotten.token_sealed');
  await service.database.rows('drop table forgotten');
});
