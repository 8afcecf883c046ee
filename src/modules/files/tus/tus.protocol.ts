import { createHash, type Hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type Issue, validationError } from '../../../platform/route/validation.js';
import { tusErrors } from './tus.errors.js';

export const TUS_EXTENSIONS = 'creation,creation-with-upload,checksum,expiration,termination';
export const CHECKSUM_ALGORITHMS = ['sha1', 'sha256'];

/** Longer metadata is refused, because it is kept and repeated. */
const MOST_METADATA = 8_192;

export interface Checksum {
  readonly hash: Hash;
  readonly expected: Buffer;
}

/** Returns the number in a header, or adds a fault. */
export function wholeNumberIn(headers: IncomingHttpHeaders, name: string, issues: Issue[]): number {
  const text = textIn(headers, name);
  const number = /^\d{1,15}$/.test(text ?? '') ? Number(text) : undefined;
  if (number === undefined)
    issues.push({ path: [name], message: text === undefined ? 'is required' : 'must be a whole number' });
  return number ?? 0;
}

/** Returns the pairs of `Upload-Metadata`: keys, each with a value in base64, separated by commas. */
export function metadataIn(headers: IncomingHttpHeaders, issues: Issue[]): Map<string, string> {
  const text = textIn(headers, 'Upload-Metadata') ?? '';
  const metadata = new Map<string, string>();
  const refuse = (message: string) => void issues.push({ path: ['Upload-Metadata'], message });
  if (text.length > MOST_METADATA) refuse(`must have at most ${MOST_METADATA} characters`);
  else if (text.trim() !== '') {
    for (const pair of text.split(',')) {
      const [key = '', value = '', ...more] = pair.trim().split(' ');
      const decoded = decodedFrom(value);
      if (!/^[\x21-\x7e]+$/.test(key) || more.length > 0)
        refuse('must consist of pairs `key value`, separated by commas');
      else if (decoded === undefined) refuse(`has a value for ${key} that is not UTF-8 in base64`);
      else if (metadata.has(key)) refuse(`has the key ${key} twice`);
      else metadata.set(key, decoded);
    }
  }
  return metadata;
}

/** Returns the checksum of `Upload-Checksum`, which has the form `sha256 …`, or undefined if there is none. */
export function checksumIn(headers: IncomingHttpHeaders): Checksum | undefined {
  const text = textIn(headers, 'Upload-Checksum');
  if (text === undefined) return undefined;
  const [algorithm = '', value = '', ...more] = text.split(' ');
  if (!CHECKSUM_ALGORITHMS.includes(algorithm)) {
    const known = CHECKSUM_ALGORITHMS.join(', ');
    throw tusErrors.checksumAlgorithmUnknown({ algorithm: algorithm.slice(0, 40), known });
  }
  const expected = bytesFrom(value);
  if (!expected?.length || more.length > 0)
    throw validationError([{ path: ['Upload-Checksum'], message: 'must be an algorithm and a checksum in base64' }]);
  return { hash: createHash(algorithm), expected };
}

function textIn(headers: IncomingHttpHeaders, name: string): string | undefined {
  return headers[name.toLowerCase()] as string | undefined;
}

/** Decodes only what base64 encodes, because Node ignores every other character. */
function bytesFrom(base64: string): Buffer | undefined {
  const bytes = Buffer.from(base64, 'base64');
  return bytes.toString('base64').replace(/=+$/, '') === base64.replace(/={0,2}$/, '') ? bytes : undefined;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decodedFrom(base64: string): string | undefined {
  const bytes = bytesFrom(base64);
  try {
    return bytes && utf8.decode(bytes);
  } catch {
    return undefined;
  }
}
