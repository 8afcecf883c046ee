import { isIP } from 'node:net';

/** The default address of `scripts/receive-callbacks.mjs`, to which the demo's callbacks go. */
export const RECEIVER = '127.0.0.1:3001';

/**
 * Returns the local addresses that tenants' requests may reach by default: the demo's receiver, and the address of the
 * model that the owner names for the demo. None is opened if other machines reach the service. An empty setting is a
 * choice too: then nothing is opened.
 * @param {NodeJS.ProcessEnv} env
 * @returns {{ OUTBOUND_ALLOW_CIDRS?: string }}
 */
export function openings({ OUTBOUND_ALLOW_CIDRS, HOST, PORT, OLLAMA_BASE_URL, OPENAI_BASE_URL }) {
  const isPrivate = !HOST || HOST === '127.0.0.1' || HOST === 'localhost';
  if (OUTBOUND_ALLOW_CIDRS !== undefined || !isPrivate) return {};
  const own = `:${PORT || 3000}`;
  const all = [RECEIVER, ...endpointsOf(OLLAMA_BASE_URL), ...endpointsOf(OPENAI_BASE_URL)];
  const opened = [...new Set(all)].filter((endpoint) => !endpoint.endsWith(own));
  return opened.length > 0 ? { OUTBOUND_ALLOW_CIDRS: opened.join(',') } : {};
}

/**
 * Returns the addresses with a port that a URL names. A name other than localhost is not resolved, because it may mean
 * another machine later.
 * @param {string | undefined} url
 * @returns {string[]}
 */
function endpointsOf(url) {
  if (!url || !URL.canParse(url)) return [];
  const { hostname, port, protocol } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const at = port || (protocol === 'https:' ? '443' : '80');
  if (host === 'localhost') return [`127.0.0.1:${at}`, `[::1]:${at}`];
  const family = isIP(host);
  if (family === 0) return [];
  return [family === 6 ? `[${host}]:${at}` : `${host}:${at}`];
}
