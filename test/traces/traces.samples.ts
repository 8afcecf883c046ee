import type { Samples } from '../support/samples.js';
import { aSpan, exportOf } from './spans.js';

export const samples: Samples = {
  'POST /api/public/otel/v1/traces': () => ({ body: exportOf([aSpan()]) }),
};
