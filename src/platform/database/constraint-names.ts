import { UnderscoreNamingStrategy } from '@mikro-orm/postgresql';

/** Migrations leave the names of constraints to PostgreSQL, so the ORM has to name them as PostgreSQL does. */
export class ConstraintNames extends UnderscoreNamingStrategy {
  override indexName(...given: Parameters<UnderscoreNamingStrategy['indexName']>): string {
    return super
      .indexName(...given)
      .replace(/_foreign$/, '_fkey')
      .replace(/_unique$/, '_key');
  }
}
