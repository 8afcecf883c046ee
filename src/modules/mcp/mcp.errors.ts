import { defineErrors } from '../../kernel/errors.js';

export const mcpErrors = defineErrors({
  versionNotSupported: {
    status: 400,
    code: 'MCP_VERSION_NOT_SUPPORTED',
    message:
      'The header MCP-Protocol-Version names a version that is not supported here. Send the version that `initialize` answered.',
  },
});
