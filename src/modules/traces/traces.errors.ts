import { defineErrors } from '../../kernel/errors.js';

export const tracesErrors = defineErrors({
  malformedProtobuf: {
    status: 400,
    code: 'MALFORMED_PROTOBUF',
    message:
      'The body is not an ExportTraceServiceRequest in protobuf. Send it whole, or as JSON with its content type.',
  },
});
