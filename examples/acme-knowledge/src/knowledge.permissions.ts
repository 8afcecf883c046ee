import { definePermissions } from 'slipway/plugin';

export const knowledgePermissions = definePermissions({
  KNOWLEDGE_READ: { allows: 'Read knowledge bases.' },
  KNOWLEDGE_WRITE: { allows: 'Create and delete knowledge bases.', implies: ['KNOWLEDGE_READ'] },
});
