import type { Migration } from '@mikro-orm/migrations';
import type { Type } from '@nestjs/common';
import { SLIPWAY } from '../../kernel/owners.js';
import { ownerOfTable } from '../plugins/installed-plugins.js';

interface Reference {
  readonly table: string;
  readonly to: string;
}

/** Foreign keys that refuse a deletion. Those of partitions are those of their tables. */
const REFUSING = `
  select conrelid::regclass::text as "table", confrelid::regclass::text as "to" from pg_constraint
  where contype = 'f' and confdeltype in ('a', 'r') and conparentid = 0
  order by 1, 2`;

/**
 * The migration, which fails if a table then refers to a resource of Slipway in a way that refuses its deletion. No caller
 * of the API could delete the rows of a plugin.
 */
export function withoutRefusingReferences(migration: Type<Migration>): Type<Migration> {
  return class extends migration {
    override async up(): Promise<void> {
      await (migration.prototype as Migration).up.call(this);
      for (const query of this.getQueries().splice(0)) await this.execute(query);
      const references = (await this.execute(REFUSING)) as unknown as Reference[];
      const refused = references.find(
        ({ table, to }) => ownerOfTable(to) === SLIPWAY && ownerOfTable(table) !== SLIPWAY,
      );
      if (refused) throw new Error(faultOf(refused));
    }
  };
}

function faultOf({ table, to }: Reference): string {
  return (
    `The table ${table} refers to ${to}, whose rows could not be deleted any more. ` +
    'Let its foreign key end with "on delete cascade" or "on delete set null".'
  );
}
