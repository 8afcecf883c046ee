import type { Samples } from '../support/samples.js';

export const samples: Samples = {
  'GET /health/live': () => ({}),
  'GET /health/ready': () => ({}),
};
