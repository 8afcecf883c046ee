/** Everything from which `npm run docs` makes the documents. */
import './platform/config/required-node.js';
import 'reflect-metadata';

export { errorCatalogue, exampleError, reasonCatalogue } from './kernel/errors.js';
export { eventDefinitions } from './kernel/events.js';
export { PERMISSIONS } from './kernel/permissions.js';
export { StartError } from './kernel/start-error.js';
export { createApplication } from './platform/application.js';
export { settingsWithPlugins } from './platform/config/settings.js';
export { asyncApiDocument } from './modules/webhooks/callbacks/asyncapi.js';
export { openApiDocument } from './platform/openapi/openapi.js';
export { retentionRules } from './platform/retention/retention-rule.js';
export { type IndexedRoute, RouteIndex } from './platform/route/route-index.js';
export { rootModule } from './root-module.js';
