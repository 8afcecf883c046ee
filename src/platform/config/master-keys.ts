import { z } from 'zod';

export interface MasterKeys {
  /** All keys, each of which opens what it has sealed. */
  readonly byNumber: ReadonlyMap<number, Buffer>;
  /** The number of the key that seals. */
  readonly sealing: number;
}

const KEY_BYTES = 32;
const ITEM = /^([1-9]\d{0,5}):([A-Za-z0-9+/_-]+={0,2})(:standby)?$/;
const ADVICE = 'write each as number:base64 of 32 random bytes, made with `openssl rand -base64 32`';

/** About 30 of 32 random bytes differ. Fewer different bytes than this do not occur by chance. */
const DIFFERENT_BYTES = 20;

/** Reads numbered keys, `1:<base64 of 32 bytes>,2:<…>:standby`. Messages about faults show no key. */
export const masterKeys = z.string().transform((text, context): MasterKeys => {
  const byNumber = new Map<number, Buffer>();
  let sealing = 0;
  for (const [at, item] of text.split(',').entries()) {
    const [, digits, base64 = '', standby] = ITEM.exec(item.trim()) ?? [];
    const number = Number(digits);
    const key = Buffer.from(base64, 'base64');
    const fault = faultOf(key, byNumber, number);
    if (fault) context.addIssue(`has ${digits ? `key ${digits}` : `item ${at + 1}`}, ${fault}; ${ADVICE}`);
    byNumber.set(number, key);
    if (!standby) sealing = Math.max(sealing, number);
  }
  if (sealing === 0) context.addIssue('has no key that seals; remove :standby from one of them');
  return { byNumber, sealing };
});

function faultOf(key: Buffer, earlier: ReadonlyMap<number, Buffer>, number: number): string | undefined {
  if (key.length !== KEY_BYTES) return 'which is not a number and the base64 of exactly 32 bytes';
  if (isGuessable(key)) return 'which is not random: a sample, text, or a pattern';
  if (earlier.has(number)) return 'whose number occurs twice';
  if ([...earlier.values()].some((other) => other.equals(key))) return 'whose value another number already has';
  return undefined;
}

/**
 * Whether a key is text, has few different bytes, or has bytes in regular steps, as people write them by hand and in
 * documentation.
 */
function isGuessable(key: Buffer): boolean {
  const steps = [...key].map((byte, at) => (byte - (key[at - 1] ?? 0)) & 0xff);
  return [...key].every(isPrintable) || new Set(key).size < DIFFERENT_BYTES || new Set(steps).size < DIFFERENT_BYTES;
}

function isPrintable(byte: number): boolean {
  return byte >= 0x20 && byte < 0x7f;
}
