import { defineErrors } from '../../kernel/errors.js';

export const connectionsErrors = defineErrors({
  connectionNotFound: {
    status: 404,
    code: 'CONNECTION_NOT_FOUND',
    message: 'The project has no such connection. GET /api/public/connections lists those it has.',
  },
  connectionNotUpdatable: {
    status: 400,
    code: 'CONNECTION_NOT_UPDATABLE',
    message: 'Connections of the provider API are not changed. Create another one, and have this one deleted.',
  },
  connectionInactive: {
    status: 409,
    code: 'CONNECTION_INACTIVE',
    message: 'This connection is INACTIVE and is not called. An administrator makes it ACTIVE; or call another one.',
  },
  connectionUnreadable: {
    status: 409,
    code: 'CONNECTION_UNREADABLE',
    message:
      'The secrets of this connection cannot be read any more. Send all of them anew, or create another connection.',
  },
});
