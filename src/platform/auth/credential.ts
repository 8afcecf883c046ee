import type { Request } from 'express';
import { authErrors } from './auth.errors.js';

/** The key of a request: `x-api-key` or `apikey`; both only when they agree. */
export function readCredential(request: Request): string {
  const given = [request.headers['x-api-key'], request.headers.apikey].flat().filter((value) => value !== undefined);
  if (given.every((value) => value === '')) throw authErrors.keyMissing();
  const [value = '', ...others] = given;
  if (others.some((other) => other !== value)) throw authErrors.keyInvalid();
  return value;
}
