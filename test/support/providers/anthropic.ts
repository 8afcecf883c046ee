import type { ServerResponse } from 'node:http';
import type { ChatBody } from './model-double.js';
import { echoOf } from './open-ai.js';

/** Anthropic counts cached tokens in addition to the others. */
export const ANTHROPIC_USAGE = { input_tokens: 12, cache_read_input_tokens: 8, output_tokens: 9 };

/** Answers with the user's message, or calls the first tool once, as Anthropic does. */
export function answerAsAnthropic(body: ChatBody, response: ServerResponse): void {
  const tool = hasToolResult(body) ? undefined : body.tools?.[0]?.name;
  if (body.stream) return stream(body, tool, response);
  const content = tool
    ? [{ type: 'tool_use', id: 'toolu_1', name: tool, input: { city: 'Oslo' } }]
    : [{ type: 'text', text: echoOf(body) }];
  const answer = { ...head(body), content, stop_reason: tool ? 'tool_use' : 'end_turn', usage: ANTHROPIC_USAGE };
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(answer));
}

function stream(body: ChatBody, tool: string | undefined, response: ServerResponse): void {
  response.setHeader('content-type', 'text/event-stream');
  const send = (type: string, data: object = {}) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  const usage = { ...ANTHROPIC_USAGE, output_tokens: 1 };
  send('message_start', { message: { ...head(body), content: [], stop_reason: null, usage } });
  send('ping');
  const block = tool ? { type: 'tool_use', id: 'toolu_1', name: tool, input: {} } : { type: 'text', text: '' };
  send('content_block_start', { index: 0, content_block: block });
  const deltas = tool
    ? ['{"city":', '"Oslo"}'].map((piece) => ({ type: 'input_json_delta', partial_json: piece }))
    : echoOf(body)
        .split(/(?<= )/)
        .map((text) => ({ type: 'text_delta', text }));
  for (const delta of deltas) send('content_block_delta', { index: 0, delta });
  send('content_block_stop', { index: 0 });
  send('message_delta', {
    delta: { stop_reason: tool ? 'tool_use' : 'end_turn', stop_sequence: null },
    usage: { output_tokens: ANTHROPIC_USAGE.output_tokens },
  });
  send('message_stop');
  response.end();
}

function head({ model }: ChatBody) {
  return { id: 'msg_1', type: 'message', role: 'assistant', model, stop_sequence: null };
}

function hasToolResult({ messages = [] }: ChatBody): boolean {
  return JSON.stringify(messages.at(-1)?.content ?? '').includes('tool_result');
}
