import { ApiError, requestAsApp } from '../../api/client.js';
import { eventsIn } from '../../api/events.js';
import { filled } from '../../api/path.js';
import type { CurlRequest } from '../../parts/copy-curl.js';

/** A version that answers in a conversation whether it is active or not. */
export interface Tried {
  agentId: string;
  versionId: string;
}

/** The agent of an environment, or the version that is tried in it. */
interface Answering {
  appId: string;
  envName: string;
  tried: Tried | null;
}

interface Message extends Answering {
  sessionId: string;
  input: string;
}

interface FinishedRun {
  output: { content: string }[];
  error?: { code: string; message: string };
}

interface RunListeners {
  /** Is called with the id of the run as soon as it has begun. */
  onRun: (runId: string) => void;
  /** Is called with each piece of the answer as the model writes it. */
  onText: (text: string) => void;
}

/** The request that sends a message. */
export function requestOf({ appId, envName, tried }: Answering, message: object): CurlRequest {
  if (!tried) {
    const path = filled('/api/v2/apps/{appId}/environments/{envName}/runs', { appId, envName });
    return { method: 'POST', path, access: 'key', body: message };
  }
  const path = filled('/api/admin/v1/apps/{appId}/agents/{agentId}/versions/{versionId}/runs', { appId, ...tried });
  return { method: 'POST', path, access: 'administration', body: { ...message, environment: envName } };
}

/** Sends a message, and passes on the events of its run until that has ended. Aborting the signal cancels the run. */
export async function streamRun(message: Message, { onRun, onText }: RunListeners, signal: AbortSignal) {
  const { appId, sessionId, input } = message;
  const sessionIdentity = [{ type: 'sessionId', value: sessionId }];
  const { path, body } = requestOf(message, { sessionIdentity, input, source: 'console', stream: true });
  const response = await requestAsApp(appId, path, body, signal);
  let isEmpty = true;
  for await (const { event, data } of wholeStream(response, signal)) {
    if (event === 'run') onRun((data as { runId: string }).runId);
    if (event === 'delta') {
      isEmpty = false;
      onText((data as { content: string }).content);
    }
    if (event !== 'done') continue;
    const { output, error } = data as FinishedRun;
    if (error) throw new ApiError(200, error.code, error.message, response.headers.get('x-request-id'));
    if (isEmpty) onText(output.map(({ content }) => content).join('\n'));
  }
}

/** Yields the events of an answer. Throws an error if the answer breaks off before its last event. */
async function* wholeStream(response: Response, signal: AbortSignal) {
  let isDone = false;
  try {
    for await (const each of eventsIn(response.body!)) {
      isDone ||= each.event === 'done';
      yield each;
    }
  } catch (error) {
    if (signal.aborted) throw error;
    isDone = false;
  }
  if (isDone) return;
  const message = 'The answer broke off. Look whether the conversation has it, and otherwise send the message again.';
  throw new ApiError(0, 'ANSWER_BROKE_OFF', message, response.headers.get('x-request-id'));
}
