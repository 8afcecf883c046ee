import { defineErrors } from '../../kernel/errors.js';

export const tracesErrors = defineErrors({
  traceNotFound: {
    status: 404,
    code: 'TRACE_NOT_FOUND',
    message:
      'The app has no such trace. Send its `traceId`, or the 32 hexadecimal digits of its id in OpenTelemetry. Old traces are deleted.',
  },
  malformedProtobuf: {
    status: 400,
    code: 'MALFORMED_PROTOBUF',
    message:
      'The body is not an ExportTraceServiceRequest in protobuf. Send the complete request, or send JSON with its content type.',
  },
});
