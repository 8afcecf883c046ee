import { ApiError } from '../api/client.js';

/** Says for people what the sentences of some errors say for authors of requests. */
const SENTENCES: Readonly<Partial<Record<string, string>>> = {
  VALIDATION_ERROR: 'Some of what you entered is not accepted.',
  API_KEY_INVALID:
    'This is not a valid administration key. It is mistyped or revoked, or it is an API key of a project.',
  API_KEY_EXPIRED: 'This key has expired. Sign in with another one.',
  API_KEY_REVOKED: 'The key was revoked meanwhile, so nothing was changed. Sign in with another one.',
  API_KEY_MISSING: 'Your session has ended. Sign in, and try again.',
  PERMISSION_DENIED: 'The key with which you signed in may not do this.',
};

const TITLES: Readonly<Partial<Record<number, string>>> = {
  400: 'Not accepted',
  401: 'Not signed in',
  403: 'Not allowed',
  404: 'Not found',
  409: 'Not possible now',
  413: 'Too large',
  429: 'Too many requests',
};

export function sentenceOf(error: Error): string {
  return (error instanceof ApiError && SENTENCES[error.code]) || error.message;
}

/** Says in a few words of which kind an error is. */
export function titleOf(error: Error): string {
  const { status, reason } = error instanceof ApiError ? error : { status: 0, reason: null };
  if (status >= 500 && reason !== null) return 'Another server has failed';
  return TITLES[status] ?? (status >= 500 ? 'The service has failed' : 'This did not work');
}
