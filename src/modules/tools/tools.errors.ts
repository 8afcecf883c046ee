import { defineErrors } from '../../kernel/errors.js';

export const toolsErrors = defineErrors({
  toolNotFound: {
    status: 404,
    code: 'TOOL_NOT_FOUND',
    message: 'The project has no such tool. GET /api/public/tools lists its tools.',
  },
  callflowNotFound: {
    status: 404,
    code: 'CALLFLOW_NOT_FOUND',
    message: 'The tool has no such callflow. GET /api/public/tools/{toolId} lists its callflows.',
    example: { values: { toolId: 'a-0VJ8kQ2xT4bN7mRw1ZcYp3' } },
  },
  versionNotFound: {
    status: 404,
    code: 'TOOL_VERSION_NOT_FOUND',
    message: 'The tool has no such version. GET on …/tools/{toolId}/versions lists its versions.',
    example: { values: { toolId: 'a-0VJ8kQ2xT4bN7mRw1ZcYp3' } },
  },
  runNotFound: {
    status: 404,
    code: 'RUN_NOT_FOUND',
    message: 'The tool has no such run. Runs are deleted some weeks after their end.',
  },
  schemaNotFound: {
    status: 404,
    code: 'SCHEMA_NOT_FOUND',
    message: 'There is no such schema. The schemas are tool, flow and env.',
  },
  fileUnsuitable: {
    status: 400,
    code: 'TOOL_FILE_UNSUITABLE',
    message:
      'The file of {member} {reason}. Upload the document as a .json file of less than 2 MiB, an export as .zip, or an OpenAPI document as a .json or .yaml file of at most 16 MiB.',
    example: { values: { member: 'toolDataFileId', reason: 'is a .png file' } },
  },
  toolNotReady: {
    status: 409,
    code: 'TOOL_NOT_READY',
    message: 'The tool has no usable version, because its import failed or has not ended. Import its documents again.',
  },
  toolNotDeployed: {
    status: 409,
    code: 'TOOL_NOT_DEPLOYED',
    message: 'The tool is not deployed. POST /api/public/tools/{toolId}/deploy deploys it.',
    example: { values: { toolId: 'a-0VJ8kQ2xT4bN7mRw1ZcYp3' } },
  },
  toolDeployed: {
    status: 409,
    code: 'TOOL_DEPLOYED',
    message: 'The tool is deployed and may be in use. Undeploy it before you delete it.',
  },
  inputInvalid: {
    status: 400,
    code: 'TOOL_INPUT_INVALID',
    message: 'The input does not match the tool’s inputSchema; `details.issues` lists the faults.',
    example: { details: { issues: [{ path: 'input.city', message: 'must be string' }] } },
  },
  runEnded: {
    status: 409,
    code: 'RUN_ENDED',
    message: 'The run has ended, so there is nothing to cancel. To run the tool again, execute it again.',
  },
  callbackSignatureInvalid: {
    status: 401,
    code: 'CALLBACK_SIGNATURE_INVALID',
    message:
      'X-Callback-Signature has to be `sha256=` and the HMAC-SHA256 of the raw body in hexadecimal, with the secret of this callback as its key.',
  },
  callbackExpired: {
    status: 401,
    code: 'CALLBACK_EXPIRED',
    message:
      'The run does not wait for this callback any more: the callback has expired, or the run has ended. Start another run, which has a callback of its own.',
  },
});
