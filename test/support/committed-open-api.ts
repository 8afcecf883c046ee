import { committedOpenApi as mergedPieces } from '../../scripts/openapi.mjs';
import type { OpenApi } from './open-api.js';

/** The document as it is committed, which `npm run lint:documents` holds to the code. */
export function committedOpenApi(): OpenApi {
  return mergedPieces() as unknown as OpenApi;
}
