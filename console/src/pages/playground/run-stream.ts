import { api, ApiError, type Schemas } from '../../api/client.js';
import { eventsIn } from '../../api/events.js';
import { filled } from '../../api/path.js';
import type { AppContext } from '../../app/app-context.js';
import type { CurlRequest } from '../../parts/copy-curl.js';
import type { Environment } from '../../parts/environments.js';

const RUNS = '/api/v2/apps/{appId}/environments/{envName}/runs';
const TRIALS = '/api/admin/v1/apps/{appId}/agents/{agentId}/versions/{versionId}/runs';

/** A version that answers in a conversation whether it is active or not. */
export interface Tried {
  agentId: string;
  versionId: string;
}

/** The agent of an environment, or the version that is tried in it. */
interface Answering {
  envName: Environment;
  tried: Tried | null;
}

type Trial = Schemas['TryVersionInput'];

interface Message extends Answering {
  sessionId: string;
  input: string;
}

interface RunListeners {
  /** Is called with the id of the run as soon as it has begun. */
  onRun: (runId: string) => void;
  /** Is called with each piece of the answer as the model writes it. */
  onText: (text: string) => void;
}

/** The request that sends a message. */
export function requestOf(
  appId: string,
  { envName, tried }: Answering,
  message: Schemas['StartRunInput'],
): CurlRequest {
  if (!tried) return { method: 'POST', path: filled(RUNS, { appId, envName }), access: 'key', body: message };
  const body: Trial = { ...message, environment: envName };
  return { method: 'POST', path: filled(TRIALS, { appId, ...tried }), access: 'administration', body };
}

/** Begins a run, whose answer is a stream of events. */
function begin({ asApp, appId }: AppContext, { envName, tried, ...message }: Message, signal: AbortSignal) {
  const { sessionId, input } = message;
  const sessionIdentity = [{ type: 'sessionId' as const, value: sessionId }];
  const body = { sessionIdentity, input, source: 'console', stream: true };
  const options = { parseAs: 'stream', signal } as const;
  if (!tried) return asApp.POST(RUNS, { params: { path: { appId, envName } }, body, ...options });
  const trial: Trial = { ...body, environment: envName };
  return api.POST(TRIALS, { params: { path: { appId, ...tried } }, body: trial, ...options });
}

/** Sends a message, and passes on the events of its run until that has ended. Aborting the signal cancels the run. */
export async function streamRun(
  app: AppContext,
  message: Message,
  { onRun, onText }: RunListeners,
  signal: AbortSignal,
) {
  const { data: stream, response } = await begin(app, message, signal);
  const requestId = response.headers.get('x-request-id');
  let isEmpty = true;
  for await (const { event, data } of wholeStream(stream!, requestId, signal)) {
    if (event === 'run') onRun((data as { runId: string }).runId);
    if (event === 'delta') {
      isEmpty = false;
      onText((data as { content: string }).content);
    }
    if (event !== 'done') continue;
    const { output, error } = data as Schemas['Run'];
    if (error) throw new ApiError(200, error.code, error.message, requestId);
    if (isEmpty) onText(output.map(({ content }) => content).join('\n'));
  }
}

/** Yields the events of an answer. Throws an error if the answer breaks off before its last event. */
async function* wholeStream(stream: Parameters<typeof eventsIn>[0], requestId: string | null, signal: AbortSignal) {
  let isDone = false;
  try {
    for await (const each of eventsIn(stream)) {
      isDone ||= each.event === 'done';
      yield each;
    }
  } catch (error) {
    if (signal.aborted) throw error;
    isDone = false;
  }
  if (isDone) return;
  const message = 'The answer broke off. Look whether the conversation has it, and otherwise send the message again.';
  throw new ApiError(0, 'ANSWER_BROKE_OFF', message, requestId);
}
