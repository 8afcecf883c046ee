import { ApiError } from '../api/client.js';

/** Says for people what the sentences of some errors say for authors of requests. */
const SENTENCES: Readonly<Partial<Record<string, string>>> = {
  VALIDATION_ERROR: 'Some of what you entered is not accepted.',
  API_KEY_INVALID:
    'This is not a valid administration key. It is mistyped or revoked, or it is an API key of a project.',
  API_KEY_EXPIRED: 'This key has expired. Sign in with another one.',
  API_KEY_REVOKED: 'The key was revoked meanwhile, so nothing was changed. Sign in with another one.',
  API_KEY_MISSING: 'Your session has ended. Sign in, and try again.',
  ROUTE_NOT_FOUND: 'There is nothing at this address.',
};

/** Names the things that pages open, because the sentences of the API name the routes that list them. */
const NOUNS: Readonly<Partial<Record<string, string>>> = {
  ADMIN_KEY_NOT_FOUND: 'administration key',
  AGENT_NOT_FOUND: 'agent',
  AGENT_VERSION_NOT_FOUND: 'version of the agent',
  API_KEY_NOT_FOUND: 'API key',
  APP_NOT_FOUND: 'app',
  AUDIT_ENTRY_NOT_FOUND: 'entry of the audit',
  BOT_NOT_FOUND: 'bot',
  CALL_NOT_FOUND: 'call',
  CONNECTION_NOT_FOUND: 'connection',
  CONSOLE_SESSION_NOT_FOUND: 'session of the console',
  CONVERSATION_NOT_FOUND: 'conversation',
  DELIVERY_NOT_FOUND: 'delivery',
  DOCK_JOB_NOT_FOUND: 'job',
  FILE_NOT_FOUND: 'file',
  JOB_NOT_FOUND: 'job',
  JWT_CLIENT_NOT_FOUND: 'JWT client',
  MCP_CONNECTION_NOT_FOUND: 'MCP connection',
  MODEL_NOT_FOUND: 'model',
  PROJECT_NOT_FOUND: 'project',
  RUN_NOT_FOUND: 'run',
  SCOPE_NOT_FOUND: 'scope',
  SUBSCRIPTION_NOT_FOUND: 'subscription',
  TOOL_NOT_FOUND: 'tool',
  TOOL_VERSION_NOT_FOUND: 'version of the tool',
};

const TITLES: Readonly<Partial<Record<number, string>>> = {
  400: 'Not accepted',
  401: 'Not signed in',
  403: 'Not allowed',
  404: 'Not found',
  409: 'Not possible now',
  413: 'Too large',
  429: 'Too many requests',
};

/** Some errors have a status that says something else to people. */
const TITLES_OF_CODES: Readonly<Partial<Record<string, string>>> = {
  API_KEY_LIMIT_REACHED: 'Not possible now',
};

export function sentenceOf(error: Error): string {
  if (!(error instanceof ApiError)) return error.message;
  const noun = NOUNS[error.code];
  if (noun !== undefined) return `This ${noun} does not exist, or it was deleted.`;
  return SENTENCES[error.code] ?? error.message;
}

/** Says in a few words of which kind an error is. */
export function titleOf(error: Error): string {
  const { status, code, reason } = error instanceof ApiError ? error : { status: 0, code: '', reason: null };
  if (status >= 500 && reason !== null) return 'Another server has failed';
  return TITLES_OF_CODES[code] ?? TITLES[status] ?? (status >= 500 ? 'The service has failed' : 'This did not work');
}
