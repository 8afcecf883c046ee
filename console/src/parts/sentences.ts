import { ApiError } from '../api/client.js';
import { sentenceOfRefusal } from './refusal-sentences.js';

const TITLES: Readonly<Partial<Record<number, string>>> = {
  400: 'Not accepted',
  401: 'Not signed in',
  403: 'Not allowed',
  404: 'Not found',
  409: 'Not possible now',
  413: 'Too large',
  429: 'Too many requests',
};

/** Some errors have a status that says something else to people. */
const TITLES_OF_CODES: Readonly<Partial<Record<string, string>>> = {
  API_KEY_LIMIT_REACHED: 'Not possible now',
};

export function sentenceOf(error: Error): string {
  return error instanceof ApiError ? sentenceOfRefusal(error) : error.message;
}

/** Says in a few words of which kind an error is. */
export function titleOf(error: Error): string {
  const { status, code, reason } = error instanceof ApiError ? error : { status: 0, code: '', reason: null };
  if (status >= 500 && reason !== null) return 'Another server has failed';
  return TITLES_OF_CODES[code] ?? TITLES[status] ?? (status >= 500 ? 'The service has failed' : 'This did not work');
}
