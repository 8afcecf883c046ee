import type { IncomingMessage } from 'node:http';

/** Returns what distinguishes the sender of a request from others, before it is known whether it is valid. */
export function credentialOf({ headers }: IncomingMessage): string {
  return [headers['x-api-key'], headers.apikey, headers.authorization, headers.cookie].flat().join();
}
