import { definePermissions } from '../../kernel/permissions.js';

export const agentsPermissions = definePermissions({
  AGENTS_VIEW: { allows: 'See agents.' },
  AGENTS_EDIT: { allows: 'Change agents.', implies: ['AGENTS_VIEW'] },
  AGENTS_FULL: { allows: 'Do everything with agents.', implies: ['AGENTS_EDIT'] },
});
