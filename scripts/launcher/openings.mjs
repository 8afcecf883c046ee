/** Where `scripts/receive-callbacks.mjs` listens unless told otherwise, and the demo's callbacks go. */
export const RECEIVER = '127.0.0.1:3001';

/**
 * What requests of tenants may reach of this machine where its owner says nothing: the demo's receiver, as long as the
 * service itself is reached from this machine alone. Empty is a choice as well: nothing is opened.
 * @param {NodeJS.ProcessEnv} env
 * @returns {{ OUTBOUND_ALLOW_CIDRS?: string }}
 */
export function openings({ OUTBOUND_ALLOW_CIDRS, HOST, PORT }) {
  const isPrivate = !HOST || HOST === '127.0.0.1' || HOST === 'localhost';
  const isOwnPort = RECEIVER.endsWith(`:${PORT}`);
  return OUTBOUND_ALLOW_CIDRS === undefined && isPrivate && !isOwnPort ? { OUTBOUND_ALLOW_CIDRS: RECEIVER } : {};
}
