import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { answerAsAnthropic } from './anthropic.js';
import { answerAsGemini } from './gemini.js';
import { misbehave } from './misbehaviour.js';
import { answerAsOllama, answerWithTags } from './ollama.js';
import { answerAsOpenAi } from './open-ai.js';

export interface ReceivedCall {
  path: string;
  headers: IncomingHttpHeaders;
  body: ChatBody;
}

/** The members of requests that the doubles read. */
export interface ChatBody extends Record<string, unknown> {
  model?: string;
  stream?: boolean;
  messages?: { role: string; content: unknown }[];
  tools?: { name?: string; function?: { name: string } }[];
}

/**
 * Doubles of model providers on a real socket, each on the path of the real one: OpenAI (`/v1/chat/completions`), Azure
 * (`/openai/deployments/…`), Anthropic (`/v1/messages`), Ollama (`/api/chat`) and Gemini
 * (`/models/…:generateContent`). Any other endpoint is `/any`, which answers with its request. Below
 * `/<misbehaviour>/…`, a double answers as no provider should.
 */
export class ModelDouble {
  readonly calls: ReceivedCall[] = [];

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(): Promise<ModelDouble> {
    const server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const double = new ModelDouble(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.on('request', (request, response) => void double.answer(request, response));
    return double;
  }

  get last(): ReceivedCall {
    return this.calls.at(-1)!;
  }

  /** Counts the open connections. */
  open(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
    });
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const sent = await text(request);
    const body = (sent ? JSON.parse(sent) : {}) as ChatBody;
    const path = request.url!;
    this.calls.push({ path, headers: request.headers, body });
    const times = this.calls.filter((call) => call.path === path).length;
    if (misbehave(path, times, response)) return;
    const [route = ''] = path.split('?');
    if (route.endsWith('/chat/completions')) return answerAsOpenAi(body, response, path);
    if (route.endsWith('/messages')) return answerAsAnthropic(body, response);
    if (route.endsWith('/api/chat')) return answerAsOllama(body, response);
    if (route.endsWith('/api/tags')) return answerWithTags(response);
    if (/:(stream)?[gG]enerateContent$/.test(route)) return answerAsGemini(body, path, response);
    if (route.endsWith('/any')) return answerAsAnything(body, response);
    response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":{"message":"no such path"}}');
  }
}

/** Answers with the request, as a whole or in events. */
function answerAsAnything(body: ChatBody, response: ServerResponse): void {
  const counts = { read: 21, written: 4 };
  if (!body.stream) {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ result: { text: `Echo: ${JSON.stringify(body)}` }, counts }));
    return;
  }
  response.setHeader('content-type', 'text/event-stream');
  for (const text of ['One ', 'two ', 'three']) response.write(`data: ${JSON.stringify({ result: { text } })}\n\n`);
  response.write(`data: ${JSON.stringify({ counts })}\n\n`);
  response.end('data: [DONE]\n\n');
}
