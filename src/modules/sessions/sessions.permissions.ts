import { definePermissions } from '../../kernel/permissions.js';

export const sessionsPermissions = definePermissions({
  SESSION_CREATION: { allows: 'Create sessions.' },
  DOCUMENT_UPLOAD: { allows: 'Attach files to sessions.' },
  SESSION_TERMINATION: { allows: 'Terminate sessions.' },
  SESSIONS_LIST: { allows: 'List sessions and read their details and traces, and search the traces of the app.' },
});
