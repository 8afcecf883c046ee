// The documents of Slipway alone, beside those that every service has.
import { readFile } from 'node:fs/promises';
import { Parser } from '@asyncapi/parser';
import { asyncApiDocument } from '../../dist/bundle/documents.js';
import { tourPage } from '../new-module/tour.mjs';
import { FOLDER, piecesOf } from '../openapi.mjs';
import { postmanCollection } from '../postman/collection.mjs';
import { inProject } from '../project.mjs';
import { sqlDocuments } from '../sql.mjs';
import { StartError } from '../start-error.mjs';
import { environmentExample, namesOfSettings } from './pages.mjs';
import { pluginApiPage } from './plugin-api.mjs';
import { breaksIn } from './released-api.mjs';

/** The folders that have only documents. */
export const OWNED_FOLDERS = [FOLDER, 'docs/sql'];

/** @typedef {import('../../src/platform/route/route-index.js').IndexedRoute} IndexedRoute */

/**
 * @param {import('@nestjs/swagger').OpenAPIObject} openApi @param {IndexedRoute[]} routes
 * @returns {Promise<Record<string, string>>} texts by path
 */
export async function documentsOfSlipway(openApi, routes) {
  const asyncApi = `${JSON.stringify(asyncApiDocument(), null, 2)}\n`;
  await refuseFaultyAsyncApi(asyncApi);
  return {
    ...piecesOfDocument(openApi, routes),
    'docs/slipway.postman_collection.json': `${JSON.stringify(postmanCollection(openApi), null, 2)}\n`,
    'docs/asyncapi.json': asyncApi,
    'docs/plugin-api.md': pluginApiPage(),
    'docs/extend/module.md': await tourPage(),
    'config/env.example': environmentExample(),
    ...(await filesOfChart()),
    ...(await sqlDocuments()),
  };
}

/** Returns what plugins that were made for the noted version miss, if the version of Slipway does not say so. */
export function breaksOfPlugins() {
  return breaksIn(pluginApiPage());
}

/**
 * Names each piece after its module, as `agent-assist.json` of `AgentAssistModule`.
 * @param {import('@nestjs/swagger').OpenAPIObject} openApi @param {IndexedRoute[]} routes
 */
function piecesOfDocument(openApi, routes) {
  const modules = new Map(routes.map(({ verb, path, module }) => [`${verb.toLowerCase()} ${path}`, fileName(module)]));
  const pieces = piecesOf(openApi, (verb, path) => modules.get(`${verb} ${path}`) ?? 'index');
  return Object.fromEntries(
    Object.entries(pieces).map(([name, piece]) => [`${FOLDER}/${name}.json`, `${JSON.stringify(piece, null, 2)}\n`]),
  );
}

/** @param {string} module */
function fileName(module) {
  return module
    .replace(/Module$/, '')
    .replace(/(?<=[a-z])(?=[A-Z])/g, '-')
    .toLowerCase();
}

/** Helm reads files of the chart's own folder alone: the settings that it accepts, and the alerts. */
async function filesOfChart() {
  const folder = 'deploy/helm/slipway/files';
  return {
    [`${folder}/settings.json`]: namesOfSettings(),
    [`${folder}/slipway.rules.yaml`]: await readFile(inProject('deploy', 'prometheus', 'slipway.rules.yaml'), 'utf8'),
  };
}

/**
 * Fails with the errors and warnings of the specification's own parser.
 * @param {string} text
 */
async function refuseFaultyAsyncApi(text) {
  const diagnostics = await new Parser().validate(text);
  const faults = diagnostics
    .filter(({ severity }) => Number(severity) <= 1)
    .map(({ path, message }) => `  ${path.join('.')}: ${message}`);
  if (faults.length > 0) throw new StartError(`docs/asyncapi.json is not as it should be:\n${faults.join('\n')}`);
}
