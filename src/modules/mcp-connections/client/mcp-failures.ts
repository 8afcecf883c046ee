import { parseJson } from '../../../kernel/json.js';
import { shortened } from '../../../kernel/shortened.js';
import { OutboundFault, type OutboundFaultKind } from '../../../platform/outbound/outbound.errors.js';
import type { McpReason } from '../mcp-connections.errors.js';
import { McpFailure } from '../mcp-connections.port.js';
import { type Message, messagesIn } from './mcp-messages.js';

const MAX_WORDS = 500;
const VERSION_UNSUPPORTED = -32022;

const FAULTS: Record<OutboundFaultKind, McpReason> = {
  address: 'MCP_ADDRESS_CLOSED',
  unreachable: 'MCP_UNREACHABLE',
  timeout: 'MCP_TIMED_OUT',
  tooLarge: 'MCP_ANSWER_TOO_LARGE',
};

/** The server has ended the session. A new one can be opened. */
export class SessionEnded extends McpFailure {
  constructor() {
    super('MCP_SESSION_LOST');
  }
}

/** The server answered with an error of JSON-RPC. */
export class McpRefusal extends McpFailure {
  constructor(
    readonly code: number,
    words: string,
  ) {
    super('MCP_ERROR', `The MCP server answered with the error ${code}: ${shortened(words, MAX_WORDS)}`);
  }
}

/** In the newest version, a refusal has a status and says why. The server may have become an older one meanwhile. */
export async function newestFailureOf(response: Response): Promise<McpFailure> {
  const { status } = response;
  if (![400, 404].includes(status) || !isJson(response)) {
    await discard(response);
    return failureOf(status, false);
  }
  const [message] = messagesIn(parseJson(await response.text()));
  const { code } = (message?.error ?? {}) as Message;
  if (code === VERSION_UNSUPPORTED) return new SessionEnded();
  return message?.error ? refusalOf(message.error) : failureOf(status, false);
}

export function isJson({ headers }: Response): boolean {
  return /^application\/json\b/i.test(headers.get('content-type') ?? '');
}

export function failureOf(status: number, isInSession: boolean): McpFailure {
  if (status >= 300 && status < 400) return new McpFailure('MCP_REDIRECTED');
  if (status === 401) return new McpFailure('MCP_SIGN_IN_REQUIRED');
  if (status === 403) return new McpFailure('MCP_FORBIDDEN');
  if (status === 404 && isInSession) return new SessionEnded();
  return new McpFailure('MCP_STATUS', `The MCP server answered with the status ${status}.`);
}

export function refusalOf(error: unknown): McpFailure {
  const { code, message } = (error ?? {}) as Message;
  if (typeof code !== 'number') return new McpFailure('MCP_ANSWER_INVALID');
  return new McpRefusal(code, typeof message === 'string' ? message : 'no message');
}

/** Translates a fault of the guarded client. Other errors, such as the reason of an aborted signal, stay as they are. */
export function toFailure(error: unknown): unknown {
  return error instanceof OutboundFault ? new McpFailure(FAULTS[error.kind], undefined, error) : error;
}

/** Frees the connection of an answer that is not read. */
export async function discard(response: Response): Promise<void> {
  await response.body?.cancel().catch(() => undefined);
}
