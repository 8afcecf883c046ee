import { ApiError, requestAsApp } from '../api/client.js';
import { filled } from '../api/path.js';

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

/** Sends a message and calls `onText` with each piece of the answer as the model writes it. */
export async function streamRun(message: Message, onText: (text: string) => void) {
  const { appId, envName, sessionId, input, tried } = message;
  const body = { sessionIdentity: [{ type: 'sessionId', value: sessionId }], input, source: 'console', stream: true };
  const response = await (tried
    ? requestAsApp(appId, pathOf(appId, tried), { ...body, environment: envName })
    : requestAsApp(appId, filled('/api/v2/apps/{appId}/environments/{envName}/runs', { appId, envName }), body));
  let isEmpty = true;
  for await (const { event, data } of eventsIn(response.body!)) {
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

/** Reads server-sent events, which are separated by an empty line. */
async function* eventsIn(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<{ event: string; data: unknown }> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value = '' } = await reader.read();
    const parts = (rest + value).split('\n\n');
    rest = parts.pop()!;
    for (const part of parts) {
      const event = /^event: ?(.*)$/m.exec(part)?.[1] ?? 'message';
      const data = [...part.matchAll(/^data: ?(.*)$/gm)].map(([, line]) => line).join('\n');
      if (data) yield { event, data: JSON.parse(data) as unknown };
    }
    if (done) return;
  }
}
