import type { ServerResponse } from 'node:http';
import type { ChatBody } from './model-double.js';

/** The counts of OpenAI: some of the prompt's tokens were cached, and some of the completion's were reasoning. */
export const OPEN_AI_USAGE = {
  prompt_tokens: 20,
  completion_tokens: 9,
  total_tokens: 29,
  prompt_tokens_details: { cached_tokens: 8 },
  completion_tokens_details: { reasoning_tokens: 4 },
};

/**
 * Answers with the user's message, or calls the first tool once, as OpenAI does. Azure does the same on another path.
 */
export function answerAsOpenAi(body: ChatBody, response: ServerResponse): void {
  const tool = body.messages?.at(-1)?.role === 'tool' ? undefined : body.tools?.[0]?.function?.name;
  if (body.stream) return stream(body, tool, response);
  const called = { id: 'call_1', type: 'function', function: { name: tool, arguments: '{"city":"Oslo"}' } };
  const message = tool
    ? { role: 'assistant', content: null, tool_calls: [called] }
    : { role: 'assistant', content: echoOf(body) };
  const choices = [{ index: 0, message, finish_reason: tool ? 'tool_calls' : 'stop' }];
  const answer = { id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: body.model, choices };
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ ...answer, usage: OPEN_AI_USAGE }));
}

function stream(body: ChatBody, tool: string | undefined, response: ServerResponse): void {
  response.setHeader('content-type', 'text/event-stream');
  const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: body.model };
  const write = (data: object) => response.write(`data: ${JSON.stringify({ ...head, ...data })}\n\n`);
  const send = (delta: object, finish: string | null = null) =>
    write({ choices: [{ index: 0, delta, finish_reason: finish }] });
  send({ role: 'assistant', content: '' });
  if (tool) {
    send({ tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: tool, arguments: '' } }] });
    for (const piece of ['{"city":', '"Oslo"}']) send({ tool_calls: [{ index: 0, function: { arguments: piece } }] });
  } else {
    for (const content of echoOf(body).split(/(?<= )/)) send({ content });
  }
  send({}, tool ? 'tool_calls' : 'stop');
  write({ choices: [], usage: OPEN_AI_USAGE });
  response.end('data: [DONE]\n\n');
}

/** Returns the last message as text. */
export function echoOf({ messages = [] }: ChatBody): string {
  const content = messages.at(-1)?.content;
  return `You said: ${typeof content === 'string' ? content : JSON.stringify(content)}`;
}
