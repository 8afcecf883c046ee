import type { ServerResponse } from 'node:http';

type Behaviour = (response: ServerResponse, times: number) => void | false;

const HALF_STREAM =
  'data: {"id":"1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"Half"}}]}\n\n';

/**
 * The behaviours that a provider should not have. Bodies carry a canary, which no answer of the service may contain.
 */
export const CANARY = 'canary-of-the-provider';

const BEHAVIOURS: Record<string, Behaviour> = {
  html: (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end(`<h1>${CANARY}</h1>`),
  /** Answers five calls with a page of HTML, then answers well. */
  'html-at-first': (response, times) => (times <= 5 ? BEHAVIOURS.html!(response, times) : false),
  nothing: (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(),
  'other-json': (response) => json(response, 200, { hello: CANARY }),
  'half-stream': (response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(HALF_STREAM),
  'cut-stream': (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(HALF_STREAM, () => setImmediate(() => response.destroy()));
  },
  endless: (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const more = (): void => {
      while (!response.destroyed && response.write('x'.repeat(1_000_000)));
      if (!response.destroyed) response.once('drain', more);
    };
    more();
  },
  silent: () => undefined,
  /** Leaves the first call without an answer, then answers. */
  'silent-once': (_, times) => (times === 1 ? undefined : false),
  halting: (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(HALF_STREAM);
  },
  hangup: (response) => void response.socket?.destroy(),
  redirect: (response) => void response.writeHead(307, { location: '/v1/chat/completions' }).end(),
  'no-key': (response) => json(response, 401, { error: { message: `${CANARY}: bad key` } }),
  unknown: (response) => json(response, 404, { error: { message: CANARY } }),
  refusing: (response) => json(response, 400, { error: { message: CANARY } }),
  busy: (response) => void response.writeHead(429, { 'retry-after': '60' }).end(CANARY),
  /** Refuses the first call because there are too many, then answers. */
  'busy-once': (response, times) =>
    times === 1 ? void response.writeHead(429, { 'retry-after': '1' }).end(CANARY) : false,
  /** Refuses a wrong key as Google does. */
  'invalid-key': (response) =>
    json(response, 400, {
      error: {
        code: 400,
        message: CANARY,
        status: 'INVALID_ARGUMENT',
        details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }],
      },
    }),
  /** Says only in its body when to call again, as Google does. */
  'out-of-quota': (response) =>
    json(response, 429, {
      error: {
        code: 429,
        message: CANARY,
        status: 'RESOURCE_EXHAUSTED',
        details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '22.5s' }],
      },
    }),
  slow: (response) => json(response, 408, { error: { message: CANARY } }),
  failing: (response) => json(response, 500, { error: { message: CANARY } }),
  /** Calls the tool `a_tool` again and again. */
  looping: (response) => json(response, 200, calling('{"city":"Oslo"}')),
  /** Calls the tool with arguments that are not JSON, then answers. */
  'broken-arguments': (response, times) =>
    json(response, 200, times === 1 ? calling('{"city": Oslo') : { ...calling(''), choices: [SAYS_DONE] }),
  /** Calls the tool with arguments that are nested too deeply, then answers. */
  'deep-arguments': (response, times) =>
    json(response, 200, times === 1 ? calling(`{"city":${DEEP}}`) : { ...calling(''), choices: [SAYS_DONE] }),
  /** Answers with text that cannot be stored unchanged. */
  unstorable: (response) =>
    json(response, 200, {
      ...calling(''),
      choices: [{ ...SAYS_DONE, message: { role: 'assistant', content: 'A\0B' } }],
    }),
  'unstorable-stream': (response) =>
    void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(UNSTORABLE_STREAM),
  /** Fails five times, which is more often than the gateway calls it for one answer, then answers. */
  recovering: (response, times) => (times <= 5 ? json(response, 503, { error: { message: CANARY } }) : false),
  /** Fails all attempts of the first call, then does not answer. */
  'failing-then-silent': (response, times) =>
    times <= 3 ? json(response, 503, { error: { message: CANARY } }) : undefined,
  /** Fails twice, then answers. */
  flaky: (response, times) => (times <= 2 ? json(response, 503, { error: { message: CANARY } }) : false),
};

const DEEP = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;

const UNSTORABLE_STREAM = [
  '{"id":"1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"A\\u0000B"}}]}',
  '{"id":"1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}',
  '[DONE]',
]
  .map((event) => `data: ${event}\n\n`)
  .join('');

const SAYS_DONE = { index: 0, message: { role: 'assistant', content: 'Done.' }, finish_reason: 'stop' };

function calling(input: string) {
  const called = { id: 'call_1', type: 'function', function: { name: 'a_tool', arguments: input } };
  const message = { role: 'assistant', content: null, tool_calls: [called] };
  const choices: object[] = [{ index: 0, message, finish_reason: 'tool_calls' }];
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  return { id: '1', object: 'chat.completion', created: 1, model: 'llama', choices, usage };
}

/** Answers if the path names one of these behaviours, and returns whether it did. */
export function misbehave(path: string, times: number, response: ServerResponse): boolean {
  const behaviour = BEHAVIOURS[path.split('/')[1] ?? ''];
  return behaviour !== undefined && behaviour(response, times) !== false;
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
