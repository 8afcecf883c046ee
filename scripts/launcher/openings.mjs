/** The default address of `scripts/receive-callbacks.mjs`, to which the demo's callbacks go. */
export const RECEIVER = '127.0.0.1:3001';

/**
 * Returns the local addresses that tenants' requests may reach by default: the demo's receiver, as long as the service
 * itself can only be reached from this machine. An empty setting is a choice too: then nothing is opened.
 * @param {NodeJS.ProcessEnv} env
 * @returns {{ OUTBOUND_ALLOW_CIDRS?: string }}
 */
export function openings({ OUTBOUND_ALLOW_CIDRS, HOST, PORT }) {
  const isPrivate = !HOST || HOST === '127.0.0.1' || HOST === 'localhost';
  const isOwnPort = RECEIVER.endsWith(`:${PORT}`);
  return OUTBOUND_ALLOW_CIDRS === undefined && isPrivate && !isOwnPort ? { OUTBOUND_ALLOW_CIDRS: RECEIVER } : {};
}
