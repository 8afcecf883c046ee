import type { ServerResponse } from 'node:http';
import type { ChatBody } from './model-double.js';
import { echoOf } from './open-ai.js';

export const OLLAMA_USAGE = { prompt_eval_count: 26, eval_count: 9 };

const TIMES = {
  total_duration: 4_883_583_458,
  load_duration: 1_334_875,
  ...OLLAMA_USAGE,
  eval_duration: 4_535_599_000,
};

/** Answers with the user's message, or calls the first tool once, as `/api/chat` of Ollama does. */
export function answerAsOllama(body: ChatBody, response: ServerResponse): void {
  const head = { model: body.model, created_at: '2026-11-27T12:00:00.000000Z' };
  const tool = body.messages?.at(-1)?.role === 'tool' ? undefined : body.tools?.[0]?.function?.name;
  const messages = tool
    ? [{ content: '', tool_calls: [{ function: { name: tool, arguments: { city: 'Oslo' } } }] }]
    : echoOf(body)
        .split(/(?<= )/)
        .map((content) => ({ content }));
  const last = { ...head, done: true, done_reason: 'stop', ...TIMES };
  // Ollama streams unless it is told not to.
  if (body.stream === false) {
    const message = { role: 'assistant', ...messages[0], content: messages.map(({ content }) => content).join('') };
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' });
    response.end(JSON.stringify({ ...last, message }));
    return;
  }
  response.writeHead(200, { 'content-type': 'application/x-ndjson' });
  for (const message of messages)
    response.write(`${JSON.stringify({ ...head, message: { role: 'assistant', ...message }, done: false })}\n`);
  response.end(`${JSON.stringify({ ...last, message: { role: 'assistant', content: '' } })}\n`);
}

/** Answers as `/api/tags` does, on a server that has one model. */
export function answerWithTags(response: ServerResponse): void {
  const details = { format: 'gguf', family: 'llama', parameter_size: '3.2B', quantization_level: 'Q4_K_M' };
  const model = {
    name: 'llama3.2:latest',
    model: 'llama3.2:latest',
    size: 2_019_393_189,
    digest: 'a80c4f17acd5',
    details,
  };
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify({ models: [model] }));
}
