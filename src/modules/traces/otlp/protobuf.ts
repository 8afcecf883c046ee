import protobuf from 'protobufjs';
import type { BodyFormat } from '../../../platform/route/body-format.js';
import { validationError } from '../../../platform/route/validation.js';
import { tracesErrors } from '../traces.errors.js';
import type { PartialSuccess } from './export-traces.schema.js';
import { tooMuchToDecode } from './too-much-to-decode.js';
import { TRACE_PROTO } from './trace-proto.js';

const MIB = 1024 * 1024;
const { root } = protobuf.parse(TRACE_PROTO);
const Request = root.lookupType('otlp.ExportTraceServiceRequest');
const Response = root.lookupType('otlp.ExportTraceServiceResponse');

export const PROTOBUF = 'application/x-protobuf';

export function isProtobuf(type: string): boolean {
  return type === PROTOBUF || type === 'application/protobuf';
}

/** Becomes what the same request is in JSON. */
export function protobufBody(maxMiB: number, mostValues: number): BodyFormat {
  return {
    mediaType: PROTOBUF,
    maxBytes: maxMiB * MIB,
    mayBeEmpty: true,
    matches: isProtobuf,
    parse: (bytes) => parse(bytes, mostValues),
  };
}

export function encodeAnswer(answer: { partialSuccess?: PartialSuccess | undefined }): Uint8Array {
  return Response.encode(Response.fromObject(answer)).finish();
}

interface DecodedSpan {
  traceId?: string;
  spanId?: string;
  parentSpanId?: string;
}

interface Decoded {
  resourceSpans?: { scopeSpans?: { spans?: DecodedSpan[] }[] }[];
}

function parse(bytes: Buffer, mostValues: number): unknown {
  const message = orMalformed(() => tooMuchToDecode(Request, bytes, mostValues));
  if (message !== undefined) throw validationError([{ path: [], message }]);
  const decoded: Decoded = orMalformed(() => Request.toObject(Request.decode(bytes), { longs: String, bytes: String }));
  for (const { scopeSpans = [] } of decoded.resourceSpans ?? []) {
    for (const { spans = [] } of scopeSpans) spans.forEach(writeIdsInHex);
  }
  return decoded;
}

function orMalformed<T>(read: () => T): T {
  try {
    return read();
  } catch {
    throw tracesErrors.malformedProtobuf();
  }
}

/** OTLP has ids in hex where protobuf's own JSON would have base64. */
function writeIdsInHex(span: DecodedSpan): void {
  for (const name of ['traceId', 'spanId', 'parentSpanId'] as const) {
    const base64 = span[name];
    if (base64 !== undefined) span[name] = Buffer.from(base64, 'base64').toString('hex');
  }
}
