import { defineErrors, defineReasons } from '../../kernel/errors.js';

export const mcpConnectionsErrors = defineErrors({
  mcpConnectionNotFound: {
    status: 404,
    code: 'MCP_CONNECTION_NOT_FOUND',
    message:
      'The project has no such MCP connection. The list of mcp-connections under its path in the administration has the ids.',
  },
  mcpConnectionUnreadable: {
    status: 409,
    code: 'MCP_CONNECTION_UNREADABLE',
    message: 'The headers of this MCP connection cannot be read any more. Send all of them again with PATCH.',
  },
  mcpServerFailed: {
    status: 502,
    code: 'MCP_SERVER_FAILED',
    message: 'The tools could not be listed. {sentence} Change the connection or its server, then try again.',
    example: {
      values: { sentence: 'The MCP server could not be reached, or closed the connection.' },
      details: { reason: 'MCP_UNREACHABLE' },
    },
  },
});

/** Why a tool of an MCP server was not called, or failed. */
export const MCP_REASONS = defineReasons({
  title: 'Reasons for the failure of a tool of an MCP server',
  introduction:
    'The failed observation in the trace begins with one of these codes. `details.reason` of MCP_SERVER_FAILED has one, too.',
  reasons: {
    MCP_ADDRESS_CLOSED: 'The address of the MCP server is in a network that is closed to requests.',
    MCP_UNREACHABLE: 'The MCP server could not be reached, or closed the connection.',
    MCP_TIMED_OUT: 'The MCP server did not answer within the timeoutMs of the connection.',
    MCP_ANSWER_TOO_LARGE: 'The answer of the MCP server is larger than 1 MiB, so the rest of it was not read.',
    MCP_ANSWER_INVALID: 'The MCP server sent an answer that does not follow the protocol.',
    MCP_REDIRECTED:
      'The MCP server redirects to another address, which is not followed. Give the connection the final address.',
    MCP_SIGN_IN_REQUIRED:
      'The MCP server asks for a sign-in. Give the connection a header with a key, or an authProfile at which users sign in.',
    MCP_FORBIDDEN: 'The MCP server refused access with these credentials.',
    MCP_STATUS: 'The MCP server answered with a status that the protocol does not have here; the message says which.',
    MCP_SESSION_LOST: 'The MCP server ended the session, and a new one as well.',
    MCP_ERROR: 'The MCP server refused the request; the message has its words.',
    MCP_TOOL_NOT_OFFERED: 'The MCP server does not offer the tool any more, or the connection does not allow it.',
    MCP_TOOL_FAILED: 'The tool reported a failure; the message has its words.',
    MCP_HEADERS_UNREADABLE: 'The headers of the MCP connection cannot be read any more. Send all of them again.',
  },
});
export type McpReason = keyof typeof MCP_REASONS;
