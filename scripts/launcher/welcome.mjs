import { join } from 'node:path';
import { readJson } from '../json-file.mjs';

/**
 * The members of `demo.json` that are shown.
 * @typedef {{ appId: string, scopeName: string, apiKey: string, model?: string }} Demo
 */

const MOCK = 'the built-in mock; start with OPENAI_API_KEY=… for another one (docs/providers.md)';

/**
 * Returns the text that a user needs once Slipway serves.
 * @param {object} options
 * @param {string} options.url
 * @param {string} options.dataDir
 * @param {boolean} options.hasConsole
 * @param {boolean} options.isOnTerminal
 * @param {boolean} options.hasDemo
 * @param {boolean} options.hasOwnSecrets
 */
export function welcome({ url, dataDir, hasConsole, isOnTerminal, hasDemo, hasOwnSecrets }) {
  const demoFile = join(dataDir, 'demo.json');
  const demo = hasDemo ? readDemo(demoFile) : undefined;
  const lines = [''];
  if (hasConsole) lines.push(`  Console              ${url}/console`);
  lines.push(`  Swagger UI           ${url}/docs`);
  if (demo) lines.push(`  Demo and its key     ${demoFile}`);
  if (demo) lines.push(`  Model of the demo    ${demo.model ?? MOCK}`);
  if (hasOwnSecrets) lines.push(`  Administration key   SLIPWAY_ADMIN_KEY in ${join(dataDir, 'secrets.json')}`);
  if (demo) {
    const key = isOnTerminal ? demo.apiKey : readFrom(demoFile);
    lines.push('', 'Talk to the agent; what you send next goes on in the same session:', '', talk(url, demo, key));
    lines.push('', 'Make an API key:', '', makeKey(url, demo, key));
  }
  lines.push('', 'Ctrl-C stops everything.', '');
  return lines.join('\n');
}

/**
 * @param {string} path
 * @returns {Demo | undefined}
 */
function readDemo(path) {
  try {
    return /** @type {Demo} */ (readJson(path));
  } catch {
    // The owner may have removed the file, and Slipway runs without it.
    return undefined;
  }
}

/**
 * Returns a shell command that reads the key from the file. Redirected output is a log, and keys do not belong in a
 * log.
 * @param {string} path
 */
function readFrom(path) {
  const quoted = path.replaceAll("'", "'\\''");
  return `$(sed -n 's/.*"apiKey": *"\\([^"]*\\)".*/\\1/p' '${quoted}')`;
}

/**
 * @param {string} url
 * @param {Demo} demo
 * @param {string} key
 */
function talk(url, { appId }, key) {
  const body = { sessionIdentity: [{ type: 'sessionReference', value: 'me' }], input: 'Hello' };
  return post(`${url}/api/v2/apps/${appId}/environments/production/runs`, key, body);
}

/**
 * @param {string} url
 * @param {Demo} demo
 * @param {string} key
 */
function makeKey(url, { appId, scopeName }, key) {
  const body = { scope_name: scopeName, api_key_name: 'my-first-key' };
  return post(`${url}/aaa/api/public/apps/${appId}/apikeys/create`, key, body);
}

/**
 * Returns a command for any shell. It prints a line end after the answer, so that the prompt begins on a new line.
 * @param {string} address
 * @param {string} key
 * @param {object} body
 */
function post(address, key, body) {
  const headers = `-H "x-api-key: ${key}" -H 'content-type: application/json'`;
  return `curl -w '\\n' ${address} ${headers} -d '${JSON.stringify(body)}'`;
}
