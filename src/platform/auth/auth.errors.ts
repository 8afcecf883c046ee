import { defineErrors } from '../../kernel/errors.js';

/** Of which kind the key has to be that a route takes, as a refusal says it. */
export const KINDS_OF_KEYS = {
  project: { kind: 'an API key of a project (sw_…)' },
  administration: { kind: 'an administration key' },
} as const;

export const authErrors = defineErrors({
  keyMissing: {
    status: 401,
    code: 'API_KEY_MISSING',
    message: 'Send your key in the header x-api-key. A key in the address or in the body is not read.',
  },
  keyInvalid: {
    status: 401,
    code: 'API_KEY_INVALID',
    message: 'This route needs {kind}. Your key is mistyped, revoked, of another kind, or sent twice with two values.',
    example: { values: { kind: 'an API key of a project (sw_…)' } },
  },
  consoleSessionMissing: {
    status: 401,
    code: 'CONSOLE_SESSION_MISSING',
    message: 'Sign in at /console with this browser, and open this page again.',
  },
  keyExpired: {
    status: 401,
    code: 'API_KEY_EXPIRED',
    message: 'This key has expired. Use another key, or the value to which this one was rotated.',
  },
  keyRevoked: {
    status: 401,
    code: 'API_KEY_REVOKED',
    message: 'The key was revoked while this request ran, so its uncommitted changes were discarded. Use another key.',
  },
  tokenMissing: {
    status: 401,
    code: 'TOKEN_MISSING',
    message: 'Send a JWT in the header auth or token. A JWT in the address or in the body is not read.',
  },
  tokenInvalid: {
    status: 401,
    code: 'TOKEN_INVALID',
    message:
      'This token is not accepted: it is malformed, signed with another key or algorithm than its client has, of an unknown client, without a claim that its client needs, or sent twice with two values.',
  },
  tokenExpired: {
    status: 401,
    code: 'TOKEN_EXPIRED',
    message:
      'This token has expired. A token is valid until its exp, and without one for 24 hours after its iat. Sign a new one.',
  },
  tokenNotYetValid: {
    status: 401,
    code: 'TOKEN_NOT_YET_VALID',
    message:
      'This token is not valid yet, because its nbf or iat is in the future. Compare the clocks of both machines.',
  },
  tokenReplayed: {
    status: 401,
    code: 'TOKEN_REPLAYED',
    message:
      'This token was sent before, and its client accepts each jti only once. Sign a new token for each request.',
  },
  permissionDenied: {
    status: 403,
    code: 'PERMISSION_DENIED',
    message: 'This route needs a key {whose}. Send such a key, or have the permissions of yours changed.',
    example: { values: { whose: 'whose scope grants API_SCOPE_KEY_FULL' }, required: ['API_SCOPE_KEY_FULL'] },
  },
  projectNotFound: {
    status: 404,
    code: 'PROJECT_NOT_FOUND',
    message: 'There is no such project. Check the project id, and the project of your key.',
  },
  appNotFound: {
    status: 404,
    code: 'APP_NOT_FOUND',
    message: 'There is no such app. Check the app id in the path, and the project of your key.',
  },
  revocationPending: {
    status: 503,
    code: 'REVOCATION_PENDING',
    message: 'The key is no longer accepted, but not every process has confirmed this. Send the request again.',
    retryAfter: 1,
  },
  keyChangePending: {
    status: 503,
    code: 'KEY_CHANGE_PENDING',
    message:
      'Nothing was changed, because not every process has confirmed that it drops the key. Send the request again.',
    retryAfter: 1,
  },
});
