import { eventsIn } from '../event-stream.js';
import { cutOff, SlipwayError } from '../errors.js';
import type { EnvironmentName, Schemas } from '../place.js';
import { bodyOf, type CallOptions, type Transport } from '../transport.js';

/** Whether the answer is streamed is decided by the method that takes the request. */
export type ChatRequest = Schemas['ChatRequestInput'];
type Options = CallOptions & { environment?: EnvironmentName };

/** A piece of a streamed completion, in the form that clients of OpenAI know. */
export interface ChatChunk {
  id: string;
  model: string;
  choices: {
    index: number;
    delta: {
      role?: 'assistant';
      content?: string | null;
      tool_calls?: { index: number; id?: string; function?: { name?: string; arguments?: string } }[];
    };
    finish_reason: 'stop' | 'length' | 'tool_calls' | 'content_filter' | null;
  }[];
  usage?: Schemas['ChatCompletion']['usage'] | null;
}

const COMPLETIONS = '/api/public/llm/v1/chat/completions';

/** Calls of models, without an agent. They are not repeated after a lost connection, because each one costs. */
export class Chat {
  constructor(private readonly http: Transport) {}

  complete(body: ChatRequest, options: Options = {}): Promise<Schemas['ChatCompletion']> {
    const params = { header: placeIn(options) };
    const whole = { ...body, stream: false };
    const answer = bodyOf(this.http.api.POST(COMPLETIONS, { params, body: whole, ...this.http.with(options) }));
    // The types of openapi-fetch leave out members that are always null.
    return answer as Promise<Schemas['ChatCompletion']>;
  }

  /** Yields the pieces of a completion. A reader that stops early ends the call. */
  async *stream(body: ChatRequest, options: Options = {}): AsyncGenerator<ChatChunk, void, undefined> {
    const { response } = await this.http.api.POST(COMPLETIONS, {
      params: { header: placeIn(options) },
      body: { ...body, stream: true },
      parseAs: 'stream',
      ...this.http.with(options, { isStream: true }),
    });
    for await (const { data } of eventsIn(response)) {
      if (data === '[DONE]') return;
      const chunk = JSON.parse(data) as ChatChunk | { error: { code: string; message: string } };
      if ('error' in chunk) throw new SlipwayError(chunk.error.code, chunk.error.message);
      yield chunk;
    }
    throw cutOff('the completion');
  }

  /** Returns the models that the key can call. */
  async models(options?: CallOptions): Promise<Schemas['CallableModel'][]> {
    return (await bodyOf(this.http.api.GET('/api/public/llm/v1/models', this.http.with(options)))).data;
  }
}

function placeIn({ environment }: Options): { 'x-slipway-environment'?: EnvironmentName } {
  return environment === undefined ? {} : { 'x-slipway-environment': environment };
}
