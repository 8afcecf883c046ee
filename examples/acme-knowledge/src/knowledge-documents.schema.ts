import { displayName, id, timestamp } from 'slipway/plugin';
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
