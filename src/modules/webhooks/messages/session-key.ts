import { webhooksErrors } from '../webhooks.errors.js';

const PREFIX = 'http_async:';
const LONGEST_CLIENT_KEY = 256;

export function isCanonical(sessionKey: string): boolean {
  return sessionKey.startsWith(PREFIX);
}

/** Of a key that a client chose. */
export function isClientKey(key: string): boolean {
  return key.length > 0 && [...key].length <= LONGEST_CLIENT_KEY && !/\p{Cc}/u.test(key) && !isCanonical(key);
}

/**
 * The canonical key for what was sent: the client's own, or the canonical one of exactly this conversation. No two
 * subscriptions share one.
 */
export function toCanonicalKey(projectId: string, subscriptionId: string, sessionKey: string): string {
  const prefix = `${PREFIX}${projectId}:${subscriptionId}:`;
  if (!isCanonical(sessionKey)) return prefix + sessionKey;
  if (!sessionKey.startsWith(prefix) || !isClientKey(sessionKey.slice(prefix.length))) {
    throw webhooksErrors.invalidSessionKey();
  }
  return sessionKey;
}
