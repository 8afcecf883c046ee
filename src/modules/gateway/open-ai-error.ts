import type { SlipwayError } from '../../kernel/errors.js';
import { errorBody } from '../../platform/route/error-body.js';
import { type ErrorShape, DEFAULT_ERROR_SHAPE } from '../../platform/route/error-shape.js';

const TYPES: Record<number, string> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
};

/** The shape of errors on the routes for clients of OpenAI, which look for a member `error`. */
export const OPEN_AI_ERRORS: ErrorShape = {
  ...DEFAULT_ERROR_SHAPE,
  name: 'openai',
  body: (error, meta) => ({ ...errorBody(error, meta), error: openAiError(error) }),
};

/** Converts an error to the form of OpenAI: with code and message, a type, and the parameter that caused it. */
export function openAiError({ spec, message, extras: { details } }: SlipwayError) {
  const [issue] = (details?.issues ?? []) as { path: string }[];
  const type = TYPES[spec.status] ?? (spec.status < 500 ? 'invalid_request_error' : 'api_error');
  return { code: spec.code, message, type, param: issue?.path ?? null, ...(details && { details }) };
}
