import { type FilterQuery, raw } from '@mikro-orm/postgresql';
import { defineList, type RequestOf } from 'slipway/plugin';
import { z } from 'zod';
import { KnowledgeDocument } from './knowledge-document.entity.js';

const words = z.string().min(1).max(200).describe('Words that the text has, as in a search box.');

export const knowledgeDocumentList = defineList(KnowledgeDocument, {
  sorts: { title: 'title', createdAt: 'id' },
  filters: { words: { schema: words, where: hasWords } },
});
export type KnowledgeDocumentsRequest = RequestOf<typeof knowledgeDocumentList>;

/** This is the expression of the index. The words are those of a search box: `refund -voucher "opening hours"`. */
function hasWords(words: string): FilterQuery<KnowledgeDocument> {
  const found = raw((alias) => `to_tsvector('simple', ${alias}.text) @@ websearch_to_tsquery('simple', ?)`, [words]);
  return { [found]: [] };
}
