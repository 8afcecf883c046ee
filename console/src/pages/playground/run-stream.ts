import { ApiError, requestAsApp } from '../../api/client.js';
import { eventsIn } from '../../api/events.js';
import { filled } from '../../api/path.js';

/** A version that answers in a conversation whether it is active or not. */
export interface Tried {
  agentId: string;
  versionId: string;
}

interface Message {
  appId: string;
  envName: string;
  sessionId: string;
  input: string;
  tried: Tried | null;
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

/** Sends a message, and passes on the events of its run until that has ended. */
export async function streamRun(message: Message, { onRun, onText }: RunListeners) {
  const { appId, envName, sessionId, input, tried } = message;
  const body = { sessionIdentity: [{ type: 'sessionId', value: sessionId }], input, source: 'console', stream: true };
  const response = await (tried
    ? requestAsApp(appId, pathOf(appId, tried), { ...body, environment: envName })
    : requestAsApp(appId, filled('/api/v2/apps/{appId}/environments/{envName}/runs', { appId, envName }), body));
  let isEmpty = true;
  for await (const { event, data } of eventsIn(response.body!)) {
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

function pathOf(appId: string, { agentId, versionId }: Tried): string {
  return `/api/admin/v1/apps/${appId}/agents/${agentId}/versions/${versionId}/runs`;
}
