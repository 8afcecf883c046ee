import { SlipwayError } from './errors.js';

const TOLERANCE_SECONDS = 300;

/** The body of a callback. docs/asyncapi.json describes all its members. */
export interface CallbackBody {
  message_id: string;
  session_key: string;
  session_id: string;
  related_message_id?: string;
  response?: string;
  status?: string;
  metadata?: unknown;
  [member: string]: unknown;
}

export interface Callback {
  event: 'agent.response' | 'agent.status' | 'agent.media';
  /** The same in every attempt, so process each id once. */
  id: string;
  body: CallbackBody;
}

type ReceivedHeaders = Headers | Record<string, string | string[] | undefined>;

/**
 * Checks that the service sent a callback, and returns it. `raw` is the body as it arrived: if it were parsed and
 * written again, its bytes would be others. Throws `CALLBACK_NOT_GENUINE` with the reason.
 */
export async function verifyCallback(
  raw: string | Uint8Array,
  headers: ReceivedHeaders,
  secret: string,
): Promise<Callback> {
  const read = (name: string) => headerIn(headers, `webhook-${name}`);
  const [id, timestamp, signatures, event] = [read('id'), read('timestamp'), read('signature'), read('event')];
  if (!(Math.abs(Date.now() / 1_000 - Number(timestamp || NaN)) <= TOLERANCE_SECONDS)) {
    throw notGenuine('Its time differs from the clock of this machine by more than five minutes.');
  }
  const text = typeof raw === 'string' ? raw : new TextDecoder().decode(raw);
  if (!(await hasSignature(signatures, `${id}.${timestamp}.${text}`, secret))) {
    throw notGenuine('None of its signatures fits the secret.');
  }
  return { event: event as Callback['event'], id, body: JSON.parse(text) as CallbackBody };
}

/** While a secret is rotated, a callback has two signatures. */
async function hasSignature(signatures: string, signed: string, secret: string): Promise<boolean> {
  const bytes = bytesIn(secret.replace(/^whsec_/, ''));
  if (!bytes || bytes.length === 0) {
    throw new SlipwayError('SECRET_MALFORMED', 'The secret of a subscription begins with whsec_.');
  }
  const { subtle } = crypto;
  const key = await subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  const data = new TextEncoder().encode(signed);
  for (const signature of signatures.split(' ')) {
    const [version, base64 = ''] = signature.split(',');
    const given = bytesIn(base64);
    // The runtime compares in constant time.
    if (version === 'v1' && given && (await subtle.verify('HMAC', key, given, data))) return true;
  }
  return false;
}

function bytesIn(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function headerIn(headers: ReceivedHeaders, name: string): string {
  if (headers instanceof Headers) return headers.get(name) ?? '';
  // Some servers keep the capital letters with which a header was sent.
  const found = Object.keys(headers).find((given) => given.toLowerCase() === name);
  const value = found === undefined ? undefined : headers[found];
  return (Array.isArray(value) ? value[0] : value) ?? '';
}

function notGenuine(reason: string): SlipwayError {
  return new SlipwayError('CALLBACK_NOT_GENUINE', `The callback is not genuine. ${reason}`);
}
