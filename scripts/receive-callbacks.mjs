// A receiver of callbacks for developers: verifies each one, answers, and prints what came. Plain Node, nothing installed.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readJson } from './json-file.mjs';
import { inProject } from './project.mjs';

const USAGE = `Usage: node scripts/receive-callbacks.mjs [--port 3001] [--secret whsec_…] [--answer 200] [--json]

  --secret   what the subscription was made with; unless given, that of the demo
  --answer   the status to answer genuine callbacks with: 500 shows how they are tried again
  --json     print each callback as one line of JSON`;

const TOLERANCE_SECONDS = 300;

/**
 * What a receiver has to check, and nothing more. Throws why a callback is not genuine.
 * @param {string} raw the body's bytes as they came: parsed and written again they are others
 * @param {import('node:http').IncomingHttpHeaders} headers
 * @param {string} secret
 */
export function verifyCallback(raw, headers, secret) {
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

if (process.argv[1] === inProject('scripts', 'receive-callbacks.mjs')) await main();

async function main() {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '3001' },
      secret: { type: 'string' },
      answer: { type: 'string', default: '200' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const secret = values.secret ?? secretOfDemo();
  if (values.help || !secret) {
    console.error(secret ? USAGE : `There is no demo with a subscription yet: give --secret.\n\n${USAGE}`);
    process.exitCode = 2;
    return;
  }
  const server = createServer((request, response) => {
    void receive(request, secret, values.json).then((isGenuine) => {
      response.writeHead(isGenuine ? Number(values.answer) : 401).end();
    });
  });
  await once(server.listen(Number(values.port), '127.0.0.1'), 'listening');
  const address = server.address();
  console.log(`Receiving callbacks on http://127.0.0.1:${typeof address === 'object' ? address?.port : values.port}/`);
}

/** Callbacks come at least once: what has been seen is told apart by its id. */
const seen = new Set();

/**
 * @param {import('node:http').IncomingMessage} request
 * @param {string} secret
 * @param {boolean} isJson
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
  const event = request.headers['webhook-event'];
  if (isJson) console.log(JSON.stringify({ event, id, isGenuine: fault === undefined, isRepeat, body: raw }));
  else console.log(lineOf(String(event), raw, isRepeat, fault));
  return fault === undefined;
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
  const said = body.response ?? body.status ?? body.channel_output?.url ?? '';
  return `${time}  ${event}  ${body.message_id}${isRepeat ? ' (again)' : ''}  ${said}`;
}

/**
 * @param {string} raw
 * @returns {{ message_id?: string, status?: string, response?: string, channel_output?: { url?: string } }}
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
