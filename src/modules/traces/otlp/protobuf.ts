import type protobuf from 'protobufjs';
import { once } from '../../../kernel/once.js';
import { loadedOnUse } from '../../../platform/memory/loaded-on-use.js';
import type { BodyFormat } from '../../../platform/route/body-format.js';
import { validationError } from '../../../platform/route/validation.js';
import { tracesErrors } from '../traces.errors.js';
import type { PartialSuccess } from './export-traces.schema.js';
import { exceededLimit } from './decoding-limit.js';
import { TRACE_PROTO } from './trace-proto.js';

const MIB = 1024 * 1024;
const library = loadedOnUse<typeof protobuf>('protobufjs');
const root = once(() => library().parse(TRACE_PROTO).root);

export const PROTOBUF = 'application/x-protobuf';

export function isProtobuf(type: string): boolean {
  return type === PROTOBUF || type === 'application/protobuf';
}

/** The format that decodes protobuf to the same value as the request has in JSON. */
export function protobufBody(maxMiB: number, maxValues: number): BodyFormat {
  return {
    mediaType: PROTOBUF,
    maxBytes: maxMiB * MIB,
    mayBeEmpty: true,
    matches: isProtobuf,
    parse: (bytes) => parse(bytes, maxValues),
  };
}

export function encodeAnswer(answer: { partialSuccess?: PartialSuccess | undefined }): Uint8Array {
  const response = typeOf('ExportTraceServiceResponse');
  return response.encode(response.fromObject(answer)).finish();
}

interface DecodedSpan {
  traceId?: string;
  spanId?: string;
  parentSpanId?: string;
}

interface Decoded {
  resourceSpans?: { scopeSpans?: { spans?: DecodedSpan[] }[] }[];
}

function parse(bytes: Buffer, maxValues: number): unknown {
  const request = typeOf('ExportTraceServiceRequest');
  const message = orMalformed(() => exceededLimit(request, library().Reader.create(bytes), maxValues));
  if (message !== undefined) throw validationError([{ path: [], message }]);
  const decoded: Decoded = orMalformed(() => request.toObject(request.decode(bytes), { longs: String, bytes: String }));
  for (const { scopeSpans = [] } of decoded.resourceSpans ?? []) {
    for (const { spans = [] } of scopeSpans) spans.forEach(writeIdsInHex);
  }
  return decoded;
}

function typeOf(name: string): protobuf.Type {
  return root().lookupType(`otlp.${name}`);
}

function orMalformed<T>(read: () => T): T {
  try {
    return read();
  } catch {
    throw tracesErrors.malformedProtobuf();
  }
}

/** JSON in OTLP has ids in hexadecimal digits, where the JSON mapping of protobuf has base64. */
function writeIdsInHex(span: DecodedSpan): void {
  for (const name of ['traceId', 'spanId', 'parentSpanId'] as const) {
    const base64 = span[name];
    if (base64 !== undefined) span[name] = Buffer.from(base64, 'base64').toString('hex');
  }
}
