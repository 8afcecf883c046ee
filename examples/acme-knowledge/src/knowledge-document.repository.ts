import { EntityRepository, type FilterQuery, raw } from '@mikro-orm/postgresql';
import type { Id, Page, PageRequest } from 'slipway/plugin';
import type { KnowledgeBase } from './knowledge-base.entity.js';
import type { KnowledgeDocument } from './knowledge-document.entity.js';

export class KnowledgeDocumentRepository extends EntityRepository<KnowledgeDocument> {
  /** Lists the documents that have all the words, or all documents, by their titles. */
  async page(base: KnowledgeBase, words: string | undefined, { cursor, limit }: PageRequest) {
    const where: FilterQuery<KnowledgeDocument>[] = [{ base }];
    if (words !== undefined) where.push(hasWords(words));
    if (cursor !== undefined) where.push(await this.comesAfter(base, cursor));
    const rows = await this.find({ $and: where }, { orderBy: { title: 'asc', id: 'asc' }, limit: limit + 1 });
    return cut(rows, limit);
  }

  /** Reads the next documents in the order of their ids, and keeps none of them in memory. */
  following(baseId: Id<'knowledgeBase'>, id: string, limit: number): Promise<KnowledgeDocument[]> {
    const options = { orderBy: { id: 'asc' }, limit, disableIdentityMap: true } as const;
    return this.find({ base: baseId, id: { $gt: id as Id<'knowledgeDocument'> } }, options);
  }

  /** The cursor is an id, and its document says where the next page begins. If it was deleted, the list has ended. */
  private async comesAfter(base: KnowledgeBase, cursor: string): Promise<FilterQuery<KnowledgeDocument>> {
    const last = await this.findOne({ id: cursor as Id<'knowledgeDocument'>, base });
    if (!last) return { id: { $in: [] } };
    return { $or: [{ title: { $gt: last.title } }, { title: last.title, id: { $gt: last.id } }] };
  }
}

/** This is the expression of the index. The words are those of a search box: `refund -voucher "opening hours"`. */
function hasWords(words: string): FilterQuery<KnowledgeDocument> {
  const found = raw((alias) => `to_tsvector('simple', ${alias}.text) @@ websearch_to_tsquery('simple', ?)`, [words]);
  return { [found]: [] };
}

function cut(rows: KnowledgeDocument[], limit: number): Page<KnowledgeDocument> {
  const items = rows.slice(0, limit);
  return { items, nextCursor: rows.length > limit ? items.at(-1)!.id : null };
}
