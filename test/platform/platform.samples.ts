import type { Samples } from '../support/samples.js';

export const samples: Samples = {
  'GET /': () => ({}),
  'GET /docs/errors': () => ({}),
  'GET /health/live': () => ({}),
  'GET /health/ready': () => ({}),
  'GET /metrics': () => ({}),
  'GET /api/admin/v1/audit': () => ({}),
  'GET /api/admin/v1/master-keys': () => ({}),
  'GET /api/admin/v1/processes': () => ({}),
  'POST /api/admin/v1/master-keys/rewrap': () => ({}),
};
