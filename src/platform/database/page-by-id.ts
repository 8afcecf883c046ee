import type { EntityRepository, FilterQuery } from '@mikro-orm/postgresql';
import { cutPage, type Page, type PageRequest } from '../../kernel/page.js';

/** Reads a page of a list in the order in which its rows were made, which is the order of their ids, or against it. */
export async function pageById<Row extends { readonly id: string }>(
  repository: EntityRepository<Row>,
  where: FilterQuery<NoInfer<Row>>,
  { cursor, limit, order = 'asc' }: PageRequest,
  populate: readonly string[] = [],
): Promise<Page<Row>> {
  const after = cursor === undefined ? {} : { id: { [order === 'asc' ? '$gt' : '$lt']: cursor } };
  // The ORM's types cannot express a row of which only the id is known.
  const options = { populate, orderBy: { id: order }, limit: limit + 1 };
  const rows: Row[] = await repository.find({ $and: [where, after] } as never, options as never);
  return cutPage(rows, limit);
}
