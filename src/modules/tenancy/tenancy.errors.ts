import { defineErrors } from '../../kernel/errors.js';

/** That a project or an app is not there is said by platform/auth, which refuses those of others with the same words. */
export const tenancyErrors = defineErrors({
  environmentNotFound: {
    status: 404,
    code: 'ENVIRONMENT_NOT_FOUND',
    message: 'An app has the environments development, staging, production and working-copy, and no other.',
  },
  projectNotEmpty: {
    status: 409,
    code: 'PROJECT_NOT_EMPTY',
    message: 'The project still has apps or files. Delete them first.',
  },
  appNotEmpty: {
    status: 409,
    code: 'APP_NOT_EMPTY',
    message:
      'The app still has scopes or webhook subscriptions. Delete them first; keys stop working as their scopes go.',
  },
});
