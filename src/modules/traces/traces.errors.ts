import { defineErrors } from '../../kernel/errors.js';

export const tracesErrors = defineErrors({
  traceNotFound: {
    status: 404,
    code: 'TRACE_NOT_FOUND',
    message:
      'The app has no such trace. Give its `traceId`, or the 32 hexadecimal digits by which OpenTelemetry names it; old traces are gone.',
  },
  malformedProtobuf: {
    status: 400,
    code: 'MALFORMED_PROTOBUF',
    message:
      'The body is not an ExportTraceServiceRequest in protobuf. Send it whole, or as JSON with its content type.',
  },
});
