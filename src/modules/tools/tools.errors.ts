import { defineErrors } from '../../kernel/errors.js';

export const toolsErrors = defineErrors({
  toolNotFound: {
    status: 404,
    code: 'TOOL_NOT_FOUND',
    message: 'The project has no such tool. GET /api/public/tools lists those it has.',
  },
  callflowNotFound: {
    status: 404,
    code: 'CALLFLOW_NOT_FOUND',
    message: 'The tool has no such callflow. GET /api/public/tools/{toolId} names those it has.',
    example: { values: { toolId: 'a-0VJ8kQ2xT4bN7mRw1ZcYp3' } },
  },
  versionNotFound: {
    status: 404,
    code: 'TOOL_VERSION_NOT_FOUND',
    message: 'The tool has no such version. Its versions are listed under …/tools/{toolId}/versions.',
    example: { values: { toolId: 'a-0VJ8kQ2xT4bN7mRw1ZcYp3' } },
  },
  runNotFound: {
    status: 404,
    code: 'RUN_NOT_FOUND',
    message: 'The tool has no such run. Runs that ended are kept for some weeks only.',
  },
  schemaNotFound: {
    status: 404,
    code: 'SCHEMA_NOT_FOUND',
    message: 'There is no such schema. There are tool, flow and env.',
  },
  fileUnsuitable: {
    status: 400,
    code: 'TOOL_FILE_UNSUITABLE',
    message:
      'The file of {member} {reason}. Upload the document as a .json file of less than 2 MiB, or an export as .zip.',
    example: { values: { member: 'toolDataFileId', reason: 'is a .png file' } },
  },
  toolNotReady: {
    status: 409,
    code: 'TOOL_NOT_READY',
    message: 'The tool has nothing that could be used: its import failed, or still runs. Import its documents again.',
  },
  toolNotDeployed: {
    status: 409,
    code: 'TOOL_NOT_DEPLOYED',
    message: 'The tool is not deployed. POST /api/public/tools/{toolId}/deploy does that.',
    example: { values: { toolId: 'a-0VJ8kQ2xT4bN7mRw1ZcYp3' } },
  },
  toolDeployed: {
    status: 409,
    code: 'TOOL_DEPLOYED',
    message: 'The tool is deployed and may be in use. Undeploy it before it is deleted.',
  },
  inputInvalid: {
    status: 400,
    code: 'TOOL_INPUT_INVALID',
    message: 'The input is not what the tool’s inputSchema asks for; `details.issues` says where.',
    example: { details: { issues: [{ path: 'input.city', message: 'must be string' }] } },
  },
  runEnded: {
    status: 409,
    code: 'RUN_ENDED',
    message: 'The run has ended, so there is nothing to cancel. Execute the tool again if it is to run again.',
  },
  callbackSignatureInvalid: {
    status: 401,
    code: 'CALLBACK_SIGNATURE_INVALID',
    message:
      'X-Callback-Signature has to be sha256=, then the HMAC-SHA256 of the raw body in hexadecimal, made with the secret of this callback.',
  },
  callbackExpired: {
    status: 401,
    code: 'CALLBACK_EXPIRED',
    message:
      'Nobody waits for this callback any more: its time is over, or the run has ended. Start the run again; it has a callback of its own.',
  },
});
