import { defineCounter } from 'slipway/plugin';

export const documentsAdded = defineCounter('acme_knowledge_documents_added_total', {
  help: 'Documents that were added to knowledge bases by this process.',
});
