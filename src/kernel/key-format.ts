import { crc32 } from 'node:zlib';
import { encodeBase62, randomBase62 } from './base62.js';

/** `sw_` is for the routes of a project, `swa_` for those of the administration. */
export type KeyPrefix = 'sw_' | 'swa_';

/** The number of digits, because 62^43 > 2^256. */
const SECRET_DIGITS = 43;
const CHECKSUM_DIGITS = 6;

export function newKeyValue(prefix: KeyPrefix): string {
  const body = prefix + randomBase62(SECRET_DIGITS);
  return body + checksum(body);
}

/** Whether a value can be a key at all. Mistyped and invented values are recognized without the database. */
export function isKeyValue(prefix: KeyPrefix, value: string): boolean {
  const bodyLength = prefix.length + SECRET_DIGITS;
  if (value.length !== bodyLength + CHECKSUM_DIGITS || !value.startsWith(prefix)) return false;
  const body = value.slice(0, bodyLength);
  return checksum(body) === value.slice(bodyLength);
}

/** Whether a text, in which no key belongs, may contain one. */
export function containsKey(text: string): boolean {
  return /swa?_[0-9A-Za-z]{8}/.test(text);
}

function checksum(body: string): string {
  return encodeBase62(crc32(body), CHECKSUM_DIGITS);
}
