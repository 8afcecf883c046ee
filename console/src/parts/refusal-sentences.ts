const BUSY = 'The service has too much to do now. Try again in a moment.';
/** For refusals that a user cannot cause, such as after an update of the service under an open page. */
const UNFITTING = 'This page has sent something that the service does not accept. Reload the page, then try again.';
const TOO_MANY = 'There were too many requests. Wait a moment, then try again.';

/**
 * Says for people what the sentences of some errors say for authors of requests, which can send another key, another
 * header, or a request to another route. `test/contract/errors.test.ts` names the codes that are missing here.
 */
export const SENTENCES: Readonly<Partial<Record<string, string>>> = {
  VALIDATION_ERROR: 'Some of what you entered is not accepted.',
  ADDRESS_NOT_ALLOWED:
    'This address is in a network that is closed to requests. Enter one of a public host, or ask the administrator of the service to allow it in OUTBOUND_ALLOW_CIDRS.',
  API_KEY_EXPIRED: 'This key has expired. Sign in with another one.',
  API_KEY_INVALID:
    'This is not a valid administration key. It is mistyped or revoked, or it is an API key of a project.',
  API_KEY_MISSING: 'Your session has ended. Sign in, and try again.',
  API_KEY_REVOKED: 'The key was revoked meanwhile, so nothing was changed. Sign in with another one.',
  ATTACHMENT_REJECTED: 'The session does not accept files of this type or size.',
  BUSY: 'Others changed the same thing at the same time. Nothing was changed. Try again.',
  CHUNKS_MISSING: 'Some parts of the file have not arrived. Choose the file again to continue.',
  CHUNK_DIGEST_MISMATCH: 'A part of the file was damaged on its way. Choose the file again to continue.',
  CHUNK_TOO_LARGE: UNFITTING,
  COMPUTE_BUSY: BUSY,
  CONNECTION_INACTIVE: 'This connection is inactive, so it is not called. Activate it, or choose another one.',
  CONNECTION_UNREADABLE:
    'The secrets of this connection cannot be read any more. Enter all of them again, or create another connection.',
  DATABASE_POOL_FULL: BUSY,
  DATABASE_UNAVAILABLE: 'The database of the service does not answer. Try again in a moment.',
  EXPORT_FAILED: 'The export failed, so there is nothing to download. Its job says why.',
  EXPORT_LINK_INVALID: 'The link of this export has expired. Export again.',
  EXPORT_NOT_READY: 'The export is not ready yet. Wait until its job has ended.',
  FILE_SIZE_MISMATCH:
    'Less or more of the file has arrived than it had at the start. Choose the file again to upload all of it.',
  FILE_TOO_LARGE: 'The file is too large to be sent at once.',
  IDEMPOTENCY_ANSWER_LOST:
    'This was sent before, and the answer is lost. Look whether it has happened before you send it again.',
  IDEMPOTENCY_IN_PROGRESS: 'The same request is still running. Wait a moment, then try again.',
  IDEMPOTENCY_KEY_REUSED: UNFITTING,
  INTERNAL_ERROR: 'The service failed. Give the id of the request to its administrator.',
  JOB_IN_PROGRESS: 'Another job of this model or tool is running. Wait until it has ended.',
  KEY_CHANGE_PENDING: 'Nothing was changed, because not every process has confirmed the change. Try again.',
  MALFORMED_FORM: UNFITTING,
  MALFORMED_JSON: UNFITTING,
  MCP_CONNECTION_UNREADABLE: 'The headers of this MCP connection cannot be read any more. Enter all of them again.',
  MODEL_NEVER_DEPLOYED: UNFITTING,
  MODEL_NOT_READY: 'The state of the model does not allow this. Wait until it has changed.',
  MODEL_TYPE_MISMATCH: UNFITTING,
  MODEL_UNAVAILABLE: 'The provider of the model has failed several times in a row. Try again in a moment.',
  NOT_READY: 'This process cannot serve requests now. Its log says why. Try again in a moment.',
  OVERLOADED: BUSY,
  PAYLOAD_TOO_LARGE: 'This is more than the service accepts at once. Enter less.',
  PERMISSION_CEILING:
    'These permissions exceed a ceiling that an administrator has set. Choose fewer, or raise the ceiling first.',
  RATE_LIMIT_EXCEEDED: TOO_MANY,
  REQUEST_TIMEOUT: 'The request did not arrive in time. Try again, over a faster connection if you can.',
  RESPONSE_TOO_LARGE: 'This call is larger than an answer of the service can be, so it is not shown.',
  REVOCATION_PENDING: 'The key is no longer accepted, but not every process has confirmed this. Try again.',
  ROUTE_NOT_FOUND: 'There is nothing at this address.',
  SESSION_IDENTITY_CONFLICT: 'These entries belong to different sessions. Begin another conversation.',
  SESSION_OWNER_MISMATCH: 'This session belongs to another user. Begin another conversation.',
  STORAGE_UNAVAILABLE: 'The storage of files does not answer. Try again in a moment.',
  SUBSCRIPTION_DISABLED: 'This subscription is disabled, so nothing is sent. Enable it, then try again.',
  TOOL_INPUT_INVALID: 'The input does not match what the tool expects.',
  TOOL_NOT_DEPLOYED: 'The tool is not deployed. Deploy it first.',
  TOO_MANY_STREAMS: TOO_MANY,
  UNSUPPORTED_MEDIA_TYPE: UNFITTING,
  UPLOAD_TAKES_NO_CHUNKS:
    'A program began this upload over tus, and only it can continue. Choose the file again to upload it here.',
};

/** Names the things that pages open, because the sentences of the API name the routes that list them. */
export const NOUNS: Readonly<Partial<Record<string, string>>> = {
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

/** Returns what a refusal says to people. Most sentences of the API are for them as well. */
export function sentenceOfRefusal({ code, message }: { code: string; message: string }): string {
  const noun = NOUNS[code];
  if (noun !== undefined) return `This ${noun} does not exist, or it was deleted.`;
  if (code === 'PERMISSION_DENIED') return whoMay(message);
  return SENTENCES[code] ?? message;
}

/** Says which roles may do what was refused. The sentence of the API says whose key a program has to send. */
function whoMay(message: string): string {
  const [, whose] = /needs a key of (an administrator with .+)\. Send such a key/.exec(message) ?? [];
  return whose === undefined ? 'Your role does not allow this.' : `Only ${whose} may do this.`;
}
