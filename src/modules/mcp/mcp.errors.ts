import { defineErrors } from '../../kernel/errors.js';

export const mcpErrors = defineErrors({
  versionNotSupported: {
    status: 400,
    code: 'MCP_VERSION_NOT_SUPPORTED',
    message:
      'The header MCP-Protocol-Version names a version that is not supported here. Send the version that `initialize` answered.',
  },
  originRefused: {
    status: 403,
    code: 'MCP_ORIGIN_REFUSED',
    message:
      'Pages of this origin may not use MCP. An operator allows it in CORS_ORIGINS, or names the address of this service in PUBLIC_URL.',
  },
});
