import { displayName, id, timestamp } from 'slipway/plugin';
import { z } from 'zod';
import type { KnowledgeBase } from './knowledge-base.entity.js';

const name = displayName.describe('The name, unique in its project; case is ignored.').meta({ examples: ['Manuals'] });

export const CreateKnowledgeBase = z
  .strictObject({ name })
  .meta({ id: 'CreateKnowledgeBase', examples: [{ name: 'Manuals' }] });
export type CreateKnowledgeBase = z.infer<typeof CreateKnowledgeBase>;

export const KnowledgeBaseView = z
  .object({
    knowledgeBaseId: id('knowledgeBase'),
    projectId: id('project'),
    name,
    words: z.int().min(0).nullable().describe('The words of its documents when they were last counted.'),
    createdAt: timestamp,
  })
  .meta({ id: 'KnowledgeBase' });

export const KnowledgeBaseGone = z.object({ knowledgeBaseId: id('knowledgeBase') }).meta({ id: 'KnowledgeBaseGone' });

export function toKnowledgeBaseView(base: KnowledgeBase): z.infer<typeof KnowledgeBaseView> {
  return {
    knowledgeBaseId: base.id,
    projectId: base.project.id,
    name: base.name,
    words: base.words,
    createdAt: base.createdAt.toISOString(),
  };
}
