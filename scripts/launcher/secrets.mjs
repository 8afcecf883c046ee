import { randomBytes, randomInt } from 'node:crypto';
import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { readJson } from '../json-file.mjs';
import { writePrivateFile } from '../private-file.mjs';
import { StartError } from '../start-error.mjs';

/** The secrets that the launcher makes if they are not set. A later version adds its names here. */
const makers = {
  SLIPWAY_PEPPER: () => randomBytes(32).toString('base64url'),
  SLIPWAY_MASTER_KEYS: () => `1:${randomBytes(32).toString('base64')}`,
  SLIPWAY_LINK_SECRETS: () => `1:${randomBytes(32).toString('base64')}`,
  SLIPWAY_ADMIN_KEY: () => `swa_${base62(43)}`,
};

/**
 * Makes the secrets of a data folder once. Secrets that a newer version needs are added to the old ones.
 * @param {string} dataDir
 * @returns {Record<string, string>}
 */
export function ensureSecrets(dataDir) {
  const path = join(dataDir, 'secrets.json');
  const secrets = existsSync(path) ? readSecrets(path) : {};
  const missing = Object.entries(makers).filter(([name]) => !secrets[name]);
  for (const [name, make] of missing) secrets[name] = make();
  if (missing.length > 0) writePrivateFile(path, `${JSON.stringify(secrets, null, 2)}\n`);
  return secrets;
}

/**
 * @param {string} path
 * @returns {Record<string, string>}
 */
function readSecrets(path) {
  chmodSync(path, 0o600);
  try {
    const secrets = /** @type {Record<string, string>} */ (readJson(path));
    if (Object.values(secrets).every((value) => typeof value === 'string')) return secrets;
  } catch {
    // A file that is not JSON gets the same answer as JSON of another shape.
  }
  // The file is never overwritten: without its pepper no stored key can be checked again.
  throw new StartError(
    `${path} is damaged. Put back a copy of it, or delete the whole data folder to begin again with empty data.`,
  );
}

/** @param {number} length */
function base62(length) {
  const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}
