import { defineRetention, oldRows } from 'slipway/plugin';

/** Slipway deletes old documents every hour, and asks a project for a period of its own. */
export const documentRetention = defineRetention({
  name: 'knowledge-documents',
  holds: 'Documents of knowledge bases',
  keep: { days: 365 },
  perProject: { minDays: 1, maxDays: 3650 },
  sweep: oldRows({ table: 'acme_knowledge_document', time: 'created_at', project: 'project_id' }),
});
