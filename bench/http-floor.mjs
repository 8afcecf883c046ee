import { findKey, isOver, isWithinLimit, newApp, refuse, serve } from './by-hand.mjs';

/** The floor of `bench/http.mjs`: GET /api/public/me by hand. Its answer is the same to the last header. */

await import(new URL('../dist/src/modules/permissions.js', import.meta.url).href);
/** @type {unknown} */
const permissionsModule = await import(new URL('../dist/src/kernel/permissions.js', import.meta.url).href);
const { PERMISSIONS } = /** @type {typeof import('../src/kernel/permissions.js')} */ (permissionsModule);
const NAMES = Object.keys(PERMISSIONS);
/** @type {Record<string, { allows: string, implies?: readonly string[] }>} */
const RULES = PERMISSIONS;

const EVERY_HEADER = new Map([
  ['Cache-Control', 'no-store'],
  ['Content-Security-Policy', "default-src 'none';frame-ancestors 'none'"],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Origin-Agent-Cluster', '?1'],
  ['Referrer-Policy', 'no-referrer'],
  ['X-Content-Type-Options', 'nosniff'],
  ['X-DNS-Prefetch-Control', 'off'],
  ['X-Download-Options', 'noopen'],
  ['X-Frame-Options', 'SAMEORIGIN'],
  ['X-Permitted-Cross-Domain-Policies', 'none'],
  ['X-XSS-Protection', '0'],
]);

const app = newApp();
app.get('/api/public/me', async (request, response) => {
  response.setHeaders(EVERY_HEADER);
  const key = await findKey(request.get('x-api-key') ?? '');
  if (!key) return refuse(response, 401, 'API_KEY_INVALID');
  if (isOver(key)) return refuse(response, 401, 'API_KEY_EXPIRED');

  const granted = new Set(key.granted);
  const isChannelOnly = granted.size === 1 && granted.has('HTTP_ASYNC_SEND');
  if (isChannelOnly) return refuse(response, 403, 'PERMISSION_DENIED');

  if (!(await isWithinLimit(response, key.key_id))) return refuse(response, 429, 'RATE_LIMIT_EXCEEDED');

  /** @type {Record<string, string>} */
  const permissions = {};
  for (const name of NAMES) permissions[name] = granted.has(name) ? 'YES' : 'NO';
  const effective = new Set(granted);
  for (const name of effective) {
    for (const implied of RULES[name]?.implies ?? []) effective.add(implied);
  }
  response.json({
    success: true,
    key_id: key.key_id,
    key_name: key.key_name,
    expires_at: key.expires_at?.toISOString() ?? null,
    project_id: key.project_id,
    app_id: key.app_id,
    scope_id: key.scope_id,
    permissions,
    allowed: NAMES.filter((name) => effective.has(name)),
    meta: { requestId: String(response.locals.requestId), timestamp: new Date().toISOString() },
  });
});

serve(app);
