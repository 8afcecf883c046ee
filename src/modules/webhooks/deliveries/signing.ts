import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** As Standard Webhooks 1.0 has them: base64 behind a prefix by which people know what it is. */
export function newSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

interface Signed {
  /** What is sent again has the same one. */
  id: string;
  body: string;
  /** When it is sent, in seconds. */
  timestamp: number;
}

/** The header `webhook-signature`: one signature for each secret that is live. */
export function signatureOf({ id, body, timestamp }: Signed, secrets: readonly string[]): string {
  return secrets.map((secret) => `v1,${hmac(secret, `${id}.${timestamp}.${body}`)}`).join(' ');
}

function hmac(secret: string, text: string): string {
  return createHmac('sha256', Buffer.from(secret.slice(PREFIX.length), 'base64'))
    .update(text)
    .digest('base64');
}
