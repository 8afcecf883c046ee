import type { IncomingMessage } from 'node:http';
import type { SlipwayError } from '../../kernel/errors.js';

/** Returns what distinguishes the sender of a request from others, before it is known whether it is valid. */
export function credentialOf({ headers }: IncomingMessage): string {
  return [headers['x-api-key'], headers.apikey, headers.authorization, headers.cookie].flat().join();
}

/** Returns the key that a request has in several places, or null if it has none. Several are accepted only if they agree. */
export function sentKey(places: (string | string[] | undefined)[], invalid: () => SlipwayError): string | null {
  const given = places.flat().filter((value) => value !== undefined);
  if (given.every((value) => value === '')) return null;
  const [value = '', ...others] = given;
  if (others.some((other) => other !== value)) throw invalid();
  return value;
}
