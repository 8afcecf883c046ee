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
    message:
      'Connections of the provider API cannot be changed. Create another one, and ask an administrator to delete this one.',
  },
});
