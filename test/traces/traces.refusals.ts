import type { Refusals } from '../support/samples.js';
import { read } from './reading.js';
import { GZIPPED, newTraceId, sendBytes } from './spans.js';

export const refusals: Refusals = {
  TRACE_NOT_FOUND: ({ tenant }) => read(tenant, newTraceId()),
  MALFORMED_PROTOBUF: ({ tenant }) =>
    sendBytes(tenant, Buffer.from('nonsense'), { 'content-type': 'application/x-protobuf' }),
  MALFORMED_GZIP: ({ tenant }) => sendBytes(tenant, Buffer.of(0x1f, 0x8b, 0), GZIPPED),
};
