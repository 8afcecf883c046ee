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
      'An API key cannot change connections of the provider API. Ask an administrator to change this one, or create another one.',
  },
});
