import { randomBytes } from 'node:crypto';

/** The digits are in ASCII order, so that encoded numbers of one width sort as text. */
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const POOL_SIZE = 4096;
/** The largest multiple of 62 in a byte. Larger bytes are skipped, because they would favour the first digits. */
const UNBIASED = 248;

let pool = randomBytes(POOL_SIZE);
let taken = 0;

export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    if (taken === POOL_SIZE) {
      pool = randomBytes(POOL_SIZE);
      taken = 0;
    }
    const byte = pool[taken++]!;
    if (byte < UNBIASED) text += ALPHABET[byte % 62];
  }
  return text;
}

export function encodeBase62(value: number, width: number): string {
  let text = '';
  for (let rest = value; text.length < width; rest = Math.floor(rest / 62)) {
    text = ALPHABET[rest % 62]! + text;
  }
  return text;
}

export function decodeBase62(text: string): number {
  return [...text].reduce((value, digit) => value * 62 + ALPHABET.indexOf(digit), 0);
}

/** Encodes as many digits of a digest as wanted. The digest must have more bits than the digits can hold. */
export function digestBase62(digest: Buffer, width: number): string {
  let text = '';
  for (let rest = BigInt(`0x${digest.toString('hex')}`); text.length < width; rest /= 62n) {
    text += ALPHABET[Number(rest % 62n)]!;
  }
  return text;
}
