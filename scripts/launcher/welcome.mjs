import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * What one needs to know once Slipway serves.
 * @param {object} options
 * @param {string} options.url
 * @param {string} options.dataDir
 * @param {boolean} options.isOnTerminal
 * @param {boolean} options.hasOwnSecrets
 * @returns {string[]}
 */
export function welcome({ url, dataDir, isOnTerminal, hasOwnSecrets }) {
  const demo = join(dataDir, 'demo.json');
  return [
    '',
    `  Swagger UI           ${url}/docs`,
    ...(existsSync(demo) ? [`  Demo and its key     ${demo}`] : []),
    ...(hasOwnSecrets ? [`  Administration key   SLIPWAY_ADMIN_KEY in ${join(dataDir, 'secrets.json')}`] : []),
    ...(existsSync(demo) ? ['', 'Make an API key:', '', firstCall(url, demo, isOnTerminal)] : []),
    '',
    'Ctrl-C stops everything.',
    '',
  ];
}

/**
 * @param {string} url
 * @param {string} demo
 * @param {boolean} isOnTerminal
 */
function firstCall(url, demo, isOnTerminal) {
  const { appId, scopeName, apiKey } = JSON.parse(readFileSync(demo, 'utf8'));
  // Redirected output is a log, and no key goes into a log: there the shell reads it from the file.
  const key = isOnTerminal ? `'x-api-key: ${apiKey}'` : `"x-api-key: $(sed -n 's/.*"apiKey": *"\\([^"]*\\)".*/\\1/p' '${demo}')"`;
  const body = JSON.stringify({ scope_name: scopeName, api_key_name: 'my-first-key' });
  return (
    `curl -X POST ${url}/aaa/api/public/apps/${appId}/apikeys/create ` +
    `-H ${key} -H 'content-type: application/json' -d '${body}'`
  );
}
