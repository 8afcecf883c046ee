import { ApiError } from '../api/client.js';

const BUSY = 'The service has too much to do now. Try again in a moment.';
const TOO_MANY = 'There were too many requests. Wait a moment, then try again.';

/**
 * Says for people what the sentences of some errors say for authors of requests, which can send another key, another
 * header, or a request to another route.
 */
const SENTENCES: Readonly<Partial<Record<string, string>>> = {
  VALIDATION_ERROR: 'Some of what you entered is not accepted.',
  BUSY: 'Others changed the same thing at the same time. Nothing was changed. Try again.',
  CHUNK_DIGEST_MISMATCH: 'A part of the file was damaged on its way. Choose the file again to continue.',
  CHUNKS_MISSING: 'Some parts of the file have not arrived. Choose the file again to continue.',
  COMPUTE_BUSY: BUSY,
  CONNECTION_INACTIVE: 'This connection is inactive, so it is not called. Activate it, or choose another one.',
  CONNECTION_UNREADABLE:
    'The secrets of this connection cannot be read any more. Enter all of them again, or create another connection.',
  DATABASE_POOL_FULL: BUSY,
  DATABASE_UNAVAILABLE: 'The database of the service does not answer. Try again in a moment.',
  EXPORT_FAILED: 'The export failed, so there is nothing to download. Its job says why.',
  EXPORT_LINK_INVALID: 'The link of this export has expired. Export again.',
  EXPORT_NOT_READY: 'The export is not ready yet. Wait until its job has ended.',
  IDEMPOTENCY_ANSWER_LOST:
    'This was sent before, and the answer is lost. Look whether it has happened before you send it again.',
  IDEMPOTENCY_IN_PROGRESS: 'The same request is still running. Wait a moment, then try again.',
  INTERNAL_ERROR: 'The service failed. Give the id of the request to its administrator.',
  JOB_IN_PROGRESS: 'Another job of this model or tool is running. Wait until it has ended.',
  KEY_CHANGE_PENDING: 'Nothing was changed, because not every process has confirmed the change. Try again.',
  MCP_CONNECTION_UNREADABLE: 'The headers of this MCP connection cannot be read any more. Enter all of them again.',
  MODEL_NOT_READY: 'The state of the model does not allow this. Wait until it has changed.',
  MODEL_UNAVAILABLE: 'The provider of the model has failed several times in a row. Try again in a moment.',
  OVERLOADED: BUSY,
  RATE_LIMIT_EXCEEDED: TOO_MANY,
  REVOCATION_PENDING: 'The key is no longer accepted, but not every process has confirmed this. Try again.',
  STORAGE_UNAVAILABLE: 'The storage of files does not answer. Try again in a moment.',
  SUBSCRIPTION_DISABLED: 'This subscription is disabled, so nothing is sent. Enable it, then try again.',
  TOO_MANY_STREAMS: TOO_MANY,
  TOOL_NOT_DEPLOYED: 'The tool is not deployed. Deploy it first.',
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
  AGENT_RUN_NOT_FOUND: 'run',
  AGENT_VERSION_NOT_FOUND: 'version of the agent',
  API_KEY_NOT_FOUND: 'API key',
  APP_NOT_FOUND: 'app',
  AUDIT_ENTRY_NOT_FOUND: 'entry of the audit',
  AUTH_PROFILE_NOT_FOUND: 'authorization profile',
  BOT_NOT_FOUND: 'bot',
  CALL_NOT_FOUND: 'call',
  CALLFLOW_NOT_FOUND: 'flow',
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
  SESSION_NOT_FOUND: 'session',
  SUBSCRIPTION_NOT_FOUND: 'subscription',
  TOOL_NOT_FOUND: 'tool',
  TOOL_VERSION_NOT_FOUND: 'version of the tool',
  TRACE_NOT_FOUND: 'trace',
  UPLOAD_NOT_FOUND: 'upload',
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
  if (error.code === 'PERMISSION_DENIED') return whoMay(error.message);
  return SENTENCES[error.code] ?? error.message;
}

/** Says which roles may do what was refused. The sentence of the API says whose key a program has to send. */
function whoMay(message: string): string {
  const [, whose] = /needs a key of (an administrator with .+)\. Send such a key/.exec(message) ?? [];
  return whose === undefined ? 'Your role does not allow this.' : `Only ${whose} may do this.`;
}

/** Says in a few words of which kind an error is. */
export function titleOf(error: Error): string {
  const { status, code, reason } = error instanceof ApiError ? error : { status: 0, code: '', reason: null };
  if (status >= 500 && reason !== null) return 'Another server has failed';
  return TITLES_OF_CODES[code] ?? TITLES[status] ?? (status >= 500 ? 'The service has failed' : 'This did not work');
}
