import { findKey, isOver, isWithinLimit, newApp, refuse, serve } from './by-hand.mjs';
import { newest } from './ledger-newest.mjs';

/**
 * The second floor of `bench/ledger.mjs`: the same answer for callers with a key, checked by hand as in every guarded
 * route.
 */

const app = newApp();
app.get('/', async (request, response) => {
  const key = await findKey(request.get('x-api-key') ?? '');
  if (!key || isOver(key)) return refuse(response, 401, 'API_KEY_INVALID');
  if (!(await isWithinLimit(response, key.key_id))) return refuse(response, 429, 'RATE_LIMIT_EXCEEDED');
  const body = await newest(new URL(request.url, 'http://floor').searchParams);
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': body.length }).end(body);
});
serve(app);
