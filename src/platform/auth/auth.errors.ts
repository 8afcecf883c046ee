import { defineErrors } from '../../kernel/errors.js';

export const authErrors = defineErrors({
  keyMissing: {
    status: 401,
    code: 'API_KEY_MISSING',
    message: 'Send your key in the header x-api-key. A key in the address or in the body is not read.',
  },
  keyInvalid: {
    status: 401,
    code: 'API_KEY_INVALID',
    message: 'This key opens nothing here: mistyped, revoked, of another kind, or sent twice with two values.',
  },
  keyExpired: {
    status: 401,
    code: 'API_KEY_EXPIRED',
    message: 'This key has expired. Make a new one, or use the value it was rotated to.',
  },
  keyRevoked: {
    status: 401,
    code: 'API_KEY_REVOKED',
    message: 'The key was revoked while this request ran. Nothing that had not been committed was kept.',
  },
  permissionDenied: {
    status: 403,
    code: 'PERMISSION_DENIED',
    message: 'The key lacks a permission that this route needs; `required` names it. Its scope has to grant it.',
  },
  projectNotFound: {
    status: 404,
    code: 'PROJECT_NOT_FOUND',
    message: 'There is no such project for this key. Check the project id in the path.',
  },
  appNotFound: {
    status: 404,
    code: 'APP_NOT_FOUND',
    message: 'There is no such app for this key. Check the app id in the path.',
  },
  revocationPending: {
    status: 503,
    code: 'REVOCATION_PENDING',
    message: 'The key opens nothing any more, but not every process has confirmed it. Send the request again.',
  },
});
