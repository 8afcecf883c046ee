import { defineErrors } from '../../kernel/errors.js';

export const accessErrors = defineErrors({
  scopeMismatch: {
    status: 403,
    code: 'SCOPE_MISMATCH',
    message:
      'A key can change only its own scope and rotate only the keys of that scope. Use a key that belongs to this scope.',
  },
  permissionCeiling: {
    status: 403,
    code: 'PERMISSION_CEILING',
    message:
      'The request exceeds a ceiling that an administrator has set. If it is the ceiling of your own scope, `details.above` lists the permissions above it. Request fewer permissions, or ask an administrator to raise the ceiling.',
    example: { details: { above: ['APP_EDIT'] } },
  },
  consoleNeedsKey: {
    status: 403,
    code: 'CONSOLE_NEEDS_KEY',
    message:
      'A session of the console cannot begin another one, because it would then never end. A person can begin one only if the console offers that sign-in. Sign in with the administration key.',
  },
  signInOff: {
    status: 404,
    code: 'CONSOLE_SIGN_IN_OFF',
    message:
      'This service offers no sign-in of this name. Set CONSOLE_OIDC_ISSUER for OpenID Connect, or sign in with a key.',
  },
  signInNotFound: {
    status: 400,
    code: 'CONSOLE_SIGN_IN_NOT_FOUND',
    message:
      'This browser has no sign-in that fits this address. It began more than ten minutes ago or in another browser, was used already, or another one has begun since. Sign in again.',
  },
  signInRefused: {
    status: 403,
    code: 'CONSOLE_SIGN_IN_REFUSED',
    message:
      'The OpenID Connect provider, or the service in its place, did not sign you in. Sign in again, or ask who administers it.',
  },
  signInNoRole: {
    status: 403,
    code: 'CONSOLE_SIGN_IN_NO_ROLE',
    message:
      'You have no role here. Ask your administrator for one, or with OpenID Connect for a group that CONSOLE_OIDC_ROLES names. Then sign in again.',
  },
  oidcSignInFailed: {
    status: 502,
    code: 'CONSOLE_SIGN_IN_FAILED',
    message:
      'The OpenID Connect provider cannot be reached, or its answer could not be trusted. Check the settings CONSOLE_OIDC_… and the log, then sign in again.',
  },
  scopeNotFound: {
    status: 404,
    code: 'SCOPE_NOT_FOUND',
    message: 'The app has no such scope. An administrator can list and create scopes.',
  },
  keyNotFound: {
    status: 404,
    code: 'API_KEY_NOT_FOUND',
    message:
      'The app has no such key. Send the id of the key (ak-…) and not the key itself. A revoked key no longer exists.',
  },
  adminKeyNotFound: {
    status: 404,
    code: 'ADMIN_KEY_NOT_FOUND',
    message: 'There is no such administration key. GET /api/admin/v1/admin-keys lists them.',
  },
  consoleSessionNotFound: {
    status: 404,
    code: 'CONSOLE_SESSION_NOT_FOUND',
    message: 'There is no console session with this id. GET /api/admin/v1/console-sessions lists the sessions.',
  },
  duplicateKeyName: {
    status: 409,
    code: 'DUPLICATE_API_KEY_NAME',
    message: 'The scope already has a key of this name. Choose another name; case is ignored.',
    unique: 'api_key_name',
  },
  duplicateScopeName: {
    status: 409,
    code: 'DUPLICATE_SCOPE_NAME',
    message: 'The app already has a scope of this name. Choose another name; case is ignored.',
    unique: 'scope_name',
  },
  duplicateAdminKeyName: {
    status: 409,
    code: 'DUPLICATE_ADMIN_KEY_NAME',
    message: 'An administration key of this name already exists. Choose another name; case is ignored.',
    unique: 'admin_key_name',
  },
  keyLimitReached: {
    status: 429,
    code: 'API_KEY_LIMIT_REACHED',
    message: 'The scope already has {limit} keys, which is the limit. Revoke a key that is no longer used.',
    example: { values: { limit: 20 } },
  },
});
