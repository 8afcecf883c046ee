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

interface Called {
  names: string[];
  input: string;
}

/** How many of the offered tools a model calls, and with what input. */
interface Habit {
  most: number;
  input: object;
}

const ONE: Habit = { most: 1, input: { city: 'Oslo' } };
const EVERY: Habit = { most: Infinity, input: { a: 2, b: 3 } };

/**
 * Answers with the user's message, or calls the first tool once, as OpenAI does. Azure does the same on another path.
 * On a path with `every-tool`, all tools are called at once.
 */
export function answerAsOpenAi(body: ChatBody, response: ServerResponse, path = ''): void {
  const called = toolsCalledBy(body, path.startsWith('/every-tool/') ? EVERY : ONE);
  if (body.stream) return stream(body, called, response);
  const calls = called.names.map((name, at) => ({
    id: `call_${at + 1}`,
    type: 'function',
    function: { name, arguments: called.input },
  }));
  const message =
    calls.length > 0
      ? { role: 'assistant', content: null, tool_calls: calls }
      : { role: 'assistant', content: echoOf(body) };
  const choices = [{ index: 0, message, finish_reason: calls.length > 0 ? 'tool_calls' : 'stop' }];
  const answer = { id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: body.model, choices };
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ ...answer, usage: OPEN_AI_USAGE }));
}

function toolsCalledBy({ messages, tools = [] }: ChatBody, { most, input }: Habit): Called {
  const isAnswered = messages?.at(-1)?.role === 'tool';
  const names = isAnswered ? [] : tools.slice(0, most).map((tool) => tool.function!.name);
  return { names, input: JSON.stringify(input) };
}

function stream(body: ChatBody, { names: [tool], input }: Called, response: ServerResponse): void {
  response.setHeader('content-type', 'text/event-stream');
  const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: body.model };
  const write = (data: object) => response.write(`data: ${JSON.stringify({ ...head, ...data })}\n\n`);
  const send = (delta: object, finish: string | null = null) =>
    write({ choices: [{ index: 0, delta, finish_reason: finish }] });
  send({ role: 'assistant', content: '' });
  if (tool) {
    send({ tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: tool, arguments: '' } }] });
    for (const piece of input.split(/(?<=:)/)) send({ tool_calls: [{ index: 0, function: { arguments: piece } }] });
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
