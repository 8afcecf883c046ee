import protobuf from 'protobufjs';
import { TRACE_PROTO } from '../../src/modules/traces/otlp/trace-proto.js';
import type { SentSpan } from './spans.js';

export const JSON_TYPE = { 'content-type': 'application/json' };
export const PROTOBUF = { 'content-type': 'application/x-protobuf' };

const Request = protobuf.parse(TRACE_PROTO).root.lookupType('otlp.ExportTraceServiceRequest');

export function toProtobuf(request: object): Buffer {
  return Buffer.from(Request.encode(Request.fromObject(request)).finish());
}

/** Protobuf has ids as bytes. */
export function withIdsInBytes(span: SentSpan): object {
  return { ...span, traceId: Buffer.from(span.traceId, 'hex'), spanId: Buffer.from(span.spanId, 'hex') };
}

/** Encodes one field of a message with its length. */
export function field(tag: number, within: Buffer): Buffer {
  const length: number[] = [];
  for (let rest = within.length; ; rest >>>= 7) {
    length.push(rest > 127 ? (rest & 127) | 128 : rest);
    if (rest <= 127) break;
  }
  return Buffer.concat([Buffer.of(tag, ...length), within]);
}
