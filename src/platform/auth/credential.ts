import type { Request } from 'express';
import { authErrors } from './auth.errors.js';

/** The key of a request: `x-api-key` or `apikey`, or on some routes a bearer token; several only when they agree. */
export function readCredential({ headers }: Request, takesBearer: boolean): string {
  const bearer = takesBearer ? /^Bearer +(\S.*)$/i.exec(headers.authorization ?? '')?.[1] : undefined;
  const given = [headers['x-api-key'], headers.apikey, bearer].flat().filter((value) => value !== undefined);
  if (given.every((value) => value === '')) throw authErrors.keyMissing();
  const [value = '', ...others] = given;
  if (others.some((other) => other !== value)) throw authErrors.keyInvalid();
  return value;
}
