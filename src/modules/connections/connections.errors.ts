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
      'An API key cannot change connections of this provider. Ask an administrator to change this one, or create another one.',
  },
  protocolMissing: {
    status: 409,
    code: 'CONNECTION_PROTOCOL_MISSING',
    message:
      'No protocol of this installation calls the provider of this connection. Install the plugin that brought it, or create another connection.',
  },
});
