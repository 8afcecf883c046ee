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

/** JavaScript's numbers hold this many digits. Dividing them is much faster than dividing large integers. */
const DIGITS_AT_ONCE = 8;
const DIVISOR = 62n ** BigInt(DIGITS_AT_ONCE);

/** Encodes as many digits of a hexadecimal number as wanted, the last ones first. It must have more bits than they hold. */
export function hexToBase62(hex: string, width: number): string {
  let text = '';
  for (let rest = BigInt(`0x${hex}`); text.length < width; rest /= DIVISOR) {
    let digits = Number(rest % DIVISOR);
    for (let count = 0; count < DIGITS_AT_ONCE; count += 1) {
      text += ALPHABET[digits % 62]!;
      digits = Math.floor(digits / 62);
    }
  }
  return text.slice(0, width);
}
