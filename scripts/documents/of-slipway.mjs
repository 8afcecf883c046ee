// The documents of Slipway alone, beside those that every service has.
import { Parser } from '@asyncapi/parser';
import { asyncApiDocument } from '../../dist/src/modules/webhooks/callbacks/asyncapi.js';
import { tourPage } from '../new-module/tour.mjs';
import { postmanCollection } from '../postman/collection.mjs';
import { sqlDocuments } from '../sql.mjs';
import { StartError } from '../start-error.mjs';
import { environmentExample } from './pages.mjs';
import { pluginApiPage } from './plugin-api.mjs';

/**
 * @param {import('@nestjs/swagger').OpenAPIObject} openApi
 * @returns {Promise<Record<string, string>>} texts by path
 */
export async function documentsOfSlipway(openApi) {
  const asyncApi = `${JSON.stringify(asyncApiDocument(), null, 2)}\n`;
  await refuseFaultyAsyncApi(asyncApi);
  return {
    'docs/slipway.postman_collection.json': `${JSON.stringify(postmanCollection(openApi), null, 2)}\n`,
    'docs/asyncapi.json': asyncApi,
    'docs/plugin-api.md': pluginApiPage(),
    'docs/extend/module.md': await tourPage(),
    'config/env.example': environmentExample(),
    ...(await sqlDocuments()),
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
