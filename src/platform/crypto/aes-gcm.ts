import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto';

export const KEY_BYTES = 32;
const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

// Keys are passed as key objects. Given bytes, Node finds out by an exception that they are not a key object, which
// takes ten times as long.

/** Returns nonce, ciphertext and tag as base64url. They open only with the same key and the same associated data. */
export function encrypt(key: Buffer, plain: Buffer, associated: Buffer): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, createSecretKey(key), nonce).setAAD(associated);
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]).toString('base64url');
}

/** Throws if the key, the text or the associated data differ from those of the encryption. */
export function decrypt(key: Buffer, encrypted: string, associated: Buffer): Buffer {
  const bytes = Buffer.from(encrypted, 'base64url');
  if (bytes.length < NONCE_BYTES + TAG_BYTES) throw new Error('The text is too short to be a sealed text');
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const tag = bytes.subarray(-TAG_BYTES);
  const decipher = createDecipheriv(ALGORITHM, createSecretKey(key), nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(associated).setAuthTag(tag);
  return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
}
