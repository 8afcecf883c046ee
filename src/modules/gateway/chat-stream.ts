import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';
import { type z } from 'zod';
import { SlipwayError } from '../../kernel/errors.js';
import type { Answer } from '../../platform/route/answer.js';
import { ChatCompletion, toChunks } from './chat-answer.js';
import { openAiError } from './open-ai-error.js';
import type { Streamed } from './gateway.service.js';

/** A completion, or the stream of one. */
export const completionOrStream: Answer<z.infer<typeof ChatCompletion> | StreamableFile> = {
  schema: ChatCompletion,
  result: ChatCompletion,
  wrap: (result) => result,
};

/** Server-sent events, ended with [DONE]. What fails on the way is told as an event, since the status is sent. */
export function toEventStream(streamed: Streamed, withUsage: boolean): StreamableFile {
  const events = Readable.from(eventsOf(streamed, withUsage));
  // Nest would end the answer as if it were whole.
  return new StreamableFile(events, { type: 'text/event-stream; charset=utf-8' })
    .setErrorHandler((_error, response) => void (response as unknown as ServerResponse).destroy())
    .setErrorLogger(() => undefined);
}

async function* eventsOf(streamed: Streamed, withUsage: boolean): AsyncGenerator<string> {
  try {
    for await (const chunk of toChunks(streamed, withUsage)) yield event(chunk);
    yield 'data: [DONE]\n\n';
  } catch (error) {
    // A request that was aborted, by its client or because its key was revoked, is cut.
    if (!(error instanceof SlipwayError) || error.spec.status === 401) throw error;
    yield event({ error: openAiError(error) });
  }
}

function event(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}
