// This provider of a model answers as OpenAI does, after a time that the benchmark sets.
import { json } from 'node:stream/consumers';
import { serveProgram } from './serve-program.mjs';

const USAGE = { prompt_tokens: 12, completion_tokens: 20, total_tokens: 32 };
const WORDS = Array.from({ length: 20 }, (_, at) => `word${at} `);

let thinksMs = 0;

process.on('message', (/** @type {{ thinksMs: number }} */ order) => {
  ({ thinksMs } = order);
  process.send?.({ type: 'set' });
});
serveProgram((request, response) => void answer(request, response));

/**
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 */
async function answer(request, response) {
  const { model, stream } = /** @type {{ model: string, stream?: boolean }} */ (await json(request));
  setTimeout(() => (stream ? sendInPieces(model, response) : sendWhole(model, response)), thinksMs);
}

/**
 * @param {string} model
 * @param {import('node:http').ServerResponse} response
 */
function sendWhole(model, response) {
  const message = { role: 'assistant', content: WORDS.join('') };
  const choices = [{ index: 0, message, finish_reason: 'stop' }];
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ id: 'c-1', object: 'chat.completion', created: 1, model, choices, usage: USAGE }));
}

/**
 * @param {string} model
 * @param {import('node:http').ServerResponse} response
 */
function sendInPieces(model, response) {
  response.setHeader('content-type', 'text/event-stream');
  const head = { id: 'c-1', object: 'chat.completion.chunk', created: 1, model };
  const write = (/** @type {object} */ more) => response.write(`data: ${JSON.stringify({ ...head, ...more })}\n\n`);
  for (const content of WORDS) write({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
  write({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
  write({ choices: [], usage: USAGE });
  response.end('data: [DONE]\n\n');
}
