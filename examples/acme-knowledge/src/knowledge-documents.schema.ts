import { CursorQuery, displayName, id, timestamp } from 'slipway/plugin';
import { z } from 'zod';
import type { KnowledgeDocument } from './knowledge-document.entity.js';

const title = displayName.meta({ examples: ['Refunds'] });
const text = z
  .string()
  .trim()
  .min(1)
  .max(100_000)
  .meta({ examples: ['Refunds take three days.'] });

export const CreateKnowledgeDocument = z.strictObject({ title, text }).meta({ id: 'CreateKnowledgeDocument' });
export type CreateKnowledgeDocument = z.infer<typeof CreateKnowledgeDocument>;

export const KnowledgeDocumentsQuery = CursorQuery.extend({
  words: z.string().min(1).max(200).optional().describe('Words that the text has, as in a search box.'),
});
export type KnowledgeDocumentsQuery = z.infer<typeof KnowledgeDocumentsQuery>;

export const KnowledgeDocumentView = z
  .object({
    knowledgeDocumentId: id('knowledgeDocument'),
    knowledgeBaseId: id('knowledgeBase'),
    title,
    text,
    createdAt: timestamp,
  })
  .meta({ id: 'KnowledgeDocument' });

export function toKnowledgeDocumentView(document: KnowledgeDocument): z.infer<typeof KnowledgeDocumentView> {
  return {
    knowledgeDocumentId: document.id,
    knowledgeBaseId: document.base.id,
    title: document.title,
    text: document.text,
    createdAt: document.createdAt.toISOString(),
  };
}
