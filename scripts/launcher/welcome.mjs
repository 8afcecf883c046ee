import { join } from 'node:path';
import { readJson } from '../json-file.mjs';

/**
 * The members of `demo.json` that are shown.
 * @typedef {{ appId: string, scopeName: string, apiKey: string }} Demo
 */

/**
 * Returns the text that a user needs once Slipway serves.
 * @param {object} options
 * @param {string} options.url
 * @param {string} options.dataDir
 * @param {boolean} options.isOnTerminal
 * @param {boolean} options.hasDemo
 * @param {boolean} options.hasOwnSecrets
 */
export function welcome({ url, dataDir, isOnTerminal, hasDemo, hasOwnSecrets }) {
  const demoFile = join(dataDir, 'demo.json');
  const demo = hasDemo ? readDemo(demoFile) : undefined;
  const lines = ['', `  Swagger UI           ${url}/docs`];
  if (demo) lines.push(`  Demo and its key     ${demoFile}`);
  if (hasOwnSecrets) lines.push(`  Administration key   SLIPWAY_ADMIN_KEY in ${join(dataDir, 'secrets.json')}`);
  if (demo)
    lines.push('', 'Make an API key:', '', firstCall(url, demo, isOnTerminal ? demo.apiKey : readFrom(demoFile)));
  if (demo)
    lines.push('', 'Talk to the agent:', '', firstTalk(url, demo, isOnTerminal ? demo.apiKey : readFrom(demoFile)));
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
    // The owner has removed the file, and Slipway runs without it.
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
function firstCall(url, { appId, scopeName }, key) {
  const body = JSON.stringify({ scope_name: scopeName, api_key_name: 'my-first-key' });
  return (
    `curl -X POST ${url}/aaa/api/public/apps/${appId}/apikeys/create ` +
    `-H "x-api-key: ${key}" -H 'content-type: application/json' -d '${body}'`
  );
}

/**
 * @param {string} url
 * @param {Demo} demo
 * @param {string} key
 */
function firstTalk(url, { appId }, key) {
  const body = JSON.stringify({ sessionIdentity: [{ type: 'userReference', value: 'me' }], input: 'Hello' });
  return (
    `curl -X POST ${url}/api/v2/apps/${appId}/environments/production/runs ` +
    `-H "x-api-key: ${key}" -H 'content-type: application/json' -d '${body}'`
  );
}
