// A receiver of callbacks for developers. It verifies, answers and prints each callback, and needs nothing but Node.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readJson } from './json-file.mjs';
import { inProject } from './project.mjs';

const USAGE = `Usage: node scripts/receive-callbacks.mjs [--port 3001] [--secret whsec_…] [--answer 200] [--json]
                                          [--until-reply-to KEY] [--within 120]

  --secret          what the subscription was made with; unless given, that of the demo
  --answer          the status to answer genuine callbacks with: 500 shows how they are tried again
  --json            print each callback as one line of JSON
  --until-reply-to  end once the reply in the conversation with this session_key has come
  --within          the seconds to wait for that reply; then it ends with an error`;

const TOLERANCE_SECONDS = 300;
/** The callback about the end of a turn arrives at about the same time as its reply, so the script waits for both. */
const LINGER_MS = 1_000;

/** The ids of genuine callbacks. A callback is delivered at least once, and a repeat has the same id. */
const seen = new Set();

/**
 * Makes all the checks that a receiver needs. Throws the reason if a callback is not genuine.
 * @param {string} raw the body as it was sent; if it were parsed and written again, its bytes would be others
 * @param {import('node:http').IncomingHttpHeaders} headers
 * @param {string} secret
 */
function verifyCallback(raw, headers, secret) {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    String(headers[`webhook-${name}`]),
  );
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= TOLERANCE_SECONDS))
    throw new Error('too old, or of the future');
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${raw}`).digest();
  const isGenuine = (signatures ?? '').split(' ').some((signature) => {
    const [version, text = ''] = signature.split(',');
    const given = Buffer.from(text, 'base64');
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
  if (!isGenuine) throw new Error('no signature fits the secret');
}

await main();

async function main() {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '3001' },
      secret: { type: 'string' },
      answer: { type: 'string', default: '200' },
      json: { type: 'boolean', default: false },
      'until-reply-to': { type: 'string' },
      within: { type: 'string', default: '120' },
      help: { type: 'boolean', default: false },
    },
  });
  const secret = values.secret ?? secretOfDemo();
  const patienceMs = Number(values.within) * 1_000;
  if (values.help || !secret || !(patienceMs > 0)) {
    console.error(secret ? USAGE : `There is no demo with a subscription yet: give --secret.\n\n${USAGE}`);
    process.exitCode = 2;
    return;
  }
  const awaited = values['until-reply-to'];
  const server = createServer((request, response) => {
    void receive(request, secret, values.json).then((callback) => {
      response.writeHead(callback ? Number(values.answer) : 401).end();
      if (callback && awaited !== undefined && isReplyTo(awaited, callback)) setTimeout(endWell, LINGER_MS);
    });
  });
  server.once('error', (/** @type {NodeJS.ErrnoException} */ error) =>
    endBadly(`Nothing is received: ${error.message}`),
  );
  await once(server.listen(Number(values.port), '127.0.0.1'), 'listening');
  const address = server.address();
  console.log(`Receiving callbacks on http://127.0.0.1:${typeof address === 'object' ? address?.port : values.port}/`);
  if (awaited === undefined) return;
  setTimeout(() => endBadly(noReply(awaited, values.within)), patienceMs);
}

/**
 * @param {string} key the client's name of the conversation; the canonical key ends with it
 * @param {{ event: string, body: CallbackBody }} callback
 */
function isReplyTo(key, { event, body }) {
  return event === 'agent.response' && (body.session_key === key || body.session_key?.endsWith(`:${key}`));
}

function endWell() {
  process.exit(0);
}

/** @param {string} reason */
function endBadly(reason) {
  console.error(reason);
  process.exit(1);
}

/**
 * @param {string} key
 * @param {string} seconds
 */
function noReply(key, seconds) {
  return `No reply to ${key} came within ${seconds} s. GET /api/v1/channels/http-async/messages/{messageId} says how far the message is; docs/webhooks.md says when a callback is tried again.`;
}

/**
 * @param {import('node:http').IncomingMessage} request
 * @param {string} secret
 * @param {boolean} isJson
 * @returns {Promise<{ event: string, body: CallbackBody } | undefined>} undefined if the callback is not genuine
 */
async function receive(request, secret, isJson) {
  /** @type {Buffer[]} */
  const parts = [];
  request.on('data', (/** @type {Buffer} */ part) => parts.push(part));
  await once(request, 'end');
  const raw = Buffer.concat(parts).toString();
  const fault = faultOf(raw, request.headers, secret);
  const id = request.headers['webhook-id'];
  const isRepeat = seen.has(id);
  if (fault === undefined) seen.add(id);
  const event = String(request.headers['webhook-event']);
  if (isJson) console.log(JSON.stringify({ event, id, isGenuine: fault === undefined, isRepeat, body: raw }));
  else console.log(lineOf(event, raw, isRepeat, fault));
  return fault === undefined ? { event, body: bodyOf(raw) } : undefined;
}

/**
 * @param {string} raw
 * @param {import('node:http').IncomingHttpHeaders} headers
 * @param {string} secret
 */
function faultOf(raw, headers, secret) {
  try {
    verifyCallback(raw, headers, secret);
    return undefined;
  } catch (error) {
    return /** @type {Error} */ (error).message;
  }
}

/**
 * @param {string} event
 * @param {string} raw
 * @param {boolean} isRepeat
 * @param {string | undefined} fault
 */
function lineOf(event, raw, isRepeat, fault) {
  const time = new Date().toISOString().slice(11, 19);
  if (fault !== undefined) return `${time}  NOT GENUINE (${fault})  ${raw.slice(0, 200)}`;
  const body = bodyOf(raw);
  const content = body.response ?? body.status ?? body.channel_output?.url ?? '';
  return `${time}  ${event}  ${body.message_id}${isRepeat ? ' (again)' : ''}  ${content}`;
}

/**
 * The members of a callback that are read here.
 * @typedef {{ message_id?: string, session_key?: string, status?: string, response?: string, channel_output?: { url?: string } }} CallbackBody
 */

/**
 * @param {string} raw
 * @returns {CallbackBody}
 */
function bodyOf(raw) {
  try {
    /** @type {unknown} */
    const body = JSON.parse(raw);
    return /** @type {object} */ (body);
  } catch {
    return { response: raw.slice(0, 200) };
  }
}

function secretOfDemo() {
  try {
    const file = join(process.env.DATA_DIR || inProject('.data'), 'demo.json');
    return /** @type {{ webhookSecret?: string }} */ (readJson(file)).webhookSecret;
  } catch {
    return undefined;
  }
}
