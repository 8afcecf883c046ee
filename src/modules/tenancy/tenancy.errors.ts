import { defineErrors } from '../../kernel/errors.js';

/** The errors for an unknown project or app are in `platform/auth`, which answers the same for those of other tenants. */
export const tenancyErrors = defineErrors({
  environmentNotFound: {
    status: 404,
    code: 'ENVIRONMENT_NOT_FOUND',
    message: 'An app has the environments development, staging, production and working-copy, and no others.',
  },
  projectNotEmpty: {
    status: 409,
    code: 'PROJECT_NOT_EMPTY',
    message:
      'The project still has apps, files, connections, MCP connections, models, tools, bots, JWT clients or administration keys. Delete them first. Records of jobs, uploads and runs are deleted automatically (docs/retention.md).',
  },
  appNotEmpty: {
    status: 409,
    code: 'APP_NOT_EMPTY',
    message:
      'The app still has scopes or webhook subscriptions. Delete them first. The keys of a deleted scope stop working.',
  },
});
