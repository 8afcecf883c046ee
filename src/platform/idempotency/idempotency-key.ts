import type { IncomingHttpHeaders } from 'node:http';

const USABLE = /^[\x21-\x7e]{1,255}$/;

interface CheckedKey {
  value: string | undefined;
  issues: { path: string[]; message: string }[];
}

export const NO_KEY: CheckedKey = { value: undefined, issues: [] };

export function checkIdempotencyKey(given: IncomingHttpHeaders[string]): CheckedKey {
  if (given === undefined) return NO_KEY;
  const value = String(given);
  if (USABLE.test(value)) return { value, issues: [] };
  const message = 'is no usable key: send 1 to 255 visible ASCII characters, such as a UUID';
  return { value: undefined, issues: [{ path: ['idempotency-key'], message }] };
}
