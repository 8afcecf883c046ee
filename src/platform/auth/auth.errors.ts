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
    message:
      'This key opens nothing here, where {kind} is taken: yours is mistyped, revoked, of another kind, or sent twice with two values.',
    example: { values: { kind: 'an API key of a project (sw_…)' } },
  },
  keyExpired: {
    status: 401,
    code: 'API_KEY_EXPIRED',
    message: 'This key has expired. Make a new one, or use the value it was rotated to.',
  },
  keyRevoked: {
    status: 401,
    code: 'API_KEY_REVOKED',
    message: 'The key was revoked while this request ran. What it had not yet committed was not kept. Use another key.',
  },
  tokenMissing: {
    status: 401,
    code: 'TOKEN_MISSING',
    message: 'Send a JWT in the header auth or token. One in the address or in the body is not read.',
  },
  tokenInvalid: {
    status: 401,
    code: 'TOKEN_INVALID',
    message:
      'This token opens nothing here: malformed, signed with another key or algorithm than its client has, of an unknown client, without a claim that its client needs, or sent twice with two values.',
  },
  tokenExpired: {
    status: 401,
    code: 'TOKEN_EXPIRED',
    message: 'This token has expired: after its exp, or without one 24 hours after its iat. Sign a new one.',
  },
  tokenNotYetValid: {
    status: 401,
    code: 'TOKEN_NOT_YET_VALID',
    message: 'This token is of the future: its nbf or iat is yet to come. Compare the clocks of both sides.',
  },
  tokenReplayed: {
    status: 401,
    code: 'TOKEN_REPLAYED',
    message: 'This token came before, and its client takes each jti once. Sign a new token for each request.',
  },
  permissionDenied: {
    status: 403,
    code: 'PERMISSION_DENIED',
    message: 'This takes a key {whose}. Send such a key, or have the scope of yours changed.',
    example: { values: { whose: 'whose scope grants API_SCOPE_KEY_FULL' }, required: ['API_SCOPE_KEY_FULL'] },
  },
  projectNotFound: {
    status: 404,
    code: 'PROJECT_NOT_FOUND',
    message: 'There is no such project. Check the project id, and whose key you send.',
  },
  appNotFound: {
    status: 404,
    code: 'APP_NOT_FOUND',
    message: 'There is no such app. Check the app id in the path, and whose key you send.',
  },
  revocationPending: {
    status: 503,
    code: 'REVOCATION_PENDING',
    message: 'The key opens nothing any more, but not every process has confirmed it. Send the request again.',
    retryAfter: 1,
  },
});
