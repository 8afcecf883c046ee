import { definePermissions } from '../../kernel/permissions.js';

export const ledgerPermissions = definePermissions({
  'analytics:read': { allows: 'Read the LLM ledger of the project.' },
  'analytics:write': { allows: 'Write to the LLM ledger and to traces of the project.' },
});
