import { defineErrors } from '../../kernel/errors.js';

export const auditErrors = defineErrors({
  auditEntryNotFound: {
    status: 404,
    code: 'AUDIT_ENTRY_NOT_FOUND',
    message:
      'The audit has no such entry. GET /api/admin/v1/audit lists the entries. They are deleted after their retention period.',
  },
});
