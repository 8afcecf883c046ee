import { definePermissions } from '../../kernel/permissions.js';

export const accessPermissions = definePermissions({
  API_SCOPE_KEY_VIEW: { allows: 'See scopes and keys.' },
  API_SCOPE_KEY_EDIT: { allows: 'Change scopes and keys.', implies: ['API_SCOPE_KEY_VIEW'] },
  API_SCOPE_KEY_FULL: {
    allows: 'Read and change scopes, and create, rotate and revoke API keys.',
    implies: ['API_SCOPE_KEY_EDIT'],
  },
});
