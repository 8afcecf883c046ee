import { defineErrors } from '../../kernel/errors.js';

export const accessErrors = defineErrors({
  scopeMismatch: {
    status: 403,
    code: 'SCOPE_MISMATCH',
    message: 'A key changes only its own scope and rotates only keys of it. Use a key that belongs to this scope.',
  },
  permissionCeiling: {
    status: 403,
    code: 'PERMISSION_CEILING',
    message:
      'This reaches above a ceiling that an administrator set; of your own scope `details.above` names what. Ask for less, or have the ceiling raised first.',
    example: { details: { above: ['APP_EDIT'] } },
  },
  scopeNotFound: {
    status: 404,
    code: 'SCOPE_NOT_FOUND',
    message: 'The app has no such scope. An administrator lists and makes scopes.',
  },
  keyNotFound: {
    status: 404,
    code: 'API_KEY_NOT_FOUND',
    message: 'The app has no such key. Give the key id (ak-…), not the key itself; a revoked key is gone.',
  },
  adminKeyNotFound: {
    status: 404,
    code: 'ADMIN_KEY_NOT_FOUND',
    message: 'There is no such administration key. GET /api/admin/v1/admin-keys lists them.',
  },
  consoleSignedOut: {
    status: 401,
    code: 'CONSOLE_SIGNED_OUT',
    message: 'This browser is not signed in to the console, or no longer. Sign in with an administration key.',
  },
  consoleSessionNotFound: {
    status: 404,
    code: 'CONSOLE_SESSION_NOT_FOUND',
    message: 'Nobody is signed in under this id. GET /api/admin/v1/console-sessions lists who is.',
  },
  duplicateKeyName: {
    status: 409,
    code: 'DUPLICATE_API_KEY_NAME',
    message: 'The scope has a key of this name already. Choose another name; case makes no difference.',
    unique: 'api_key_name',
  },
  duplicateScopeName: {
    status: 409,
    code: 'DUPLICATE_SCOPE_NAME',
    message: 'The app has a scope of this name already. Choose another name; case makes no difference.',
    unique: 'scope_name',
  },
  duplicateAdminKeyName: {
    status: 409,
    code: 'DUPLICATE_ADMIN_KEY_NAME',
    message: 'There is an administration key of this name already. Choose another name; case makes no difference.',
    unique: 'admin_key_name',
  },
  keyLimitReached: {
    status: 429,
    code: 'API_KEY_LIMIT_REACHED',
    message: 'The scope already has {limit} keys, the most it may have. Revoke one that is no longer used.',
    example: { values: { limit: 20 } },
  },
});
