// The floor of `bench/gateway.mjs`: a gateway by hand, which passes calls on to the provider and keeps no ledger.
import { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { serveProgram } from './serve-program.mjs';

const PROVIDER = process.env.PROVIDER_URL ?? '';

serveProgram((request, response) => void passOn(request, response));

/**
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 */
async function passOn(request, response) {
  const { model, stream, messages } = /** @type {{ model: string, stream?: boolean, messages: object[] }} */ (
    await json(request)
  );
  const answer = await fetch(PROVIDER, {
    method: 'POST',
    headers: { authorization: 'Bearer none', 'content-type': 'application/json' },
    body: JSON.stringify({ model, stream, messages }),
  });
  response.setHeader('content-type', answer.headers.get('content-type') ?? '');
  if (stream && answer.body) return pipeline(Readable.fromWeb(answer.body), response);
  response.end(JSON.stringify(await answer.json()));
}
