import type { SlipwayError } from '../../kernel/errors.js';

const TYPES: Record<number, string> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
};

/** An error as OpenAI's clients read it: beside code and message its type, and the parameter that was at fault. */
export function openAiError({ spec, message, extras: { details } }: SlipwayError) {
  const [issue] = (details?.issues ?? []) as { path: string }[];
  const type = TYPES[spec.status] ?? (spec.status < 500 ? 'invalid_request_error' : 'api_error');
  return { code: spec.code, message, type, param: issue?.path ?? null, ...(details && { details }) };
}
