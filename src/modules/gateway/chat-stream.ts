import type { StreamableFile } from '@nestjs/common';
import { SlipwayError } from '../../kernel/errors.js';
import { eventStream, plainOrEvents, toEvent } from '../../platform/route/event-stream.js';
import { ChatCompletion, toChunks } from './chat-answer.js';
import { openAiError } from './open-ai-error.js';
import type { Streamed } from './gateway.service.js';

/** A completion, or the stream of one. */
export const completionOrStream = plainOrEvents(ChatCompletion);

/** Ended with [DONE]. What fails on the way is told as an event, since the status is sent. */
export function toEventStream(streamed: Streamed, withUsage: boolean): StreamableFile {
  return eventStream(eventsOf(streamed, withUsage));
}

async function* eventsOf(streamed: Streamed, withUsage: boolean): AsyncGenerator<string> {
  try {
    for await (const chunk of toChunks(streamed, withUsage)) yield toEvent(chunk);
    yield 'data: [DONE]\n\n';
  } catch (error) {
    // A request that was aborted, by its client or because its key was revoked, is cut.
    if (!(error instanceof SlipwayError) || error.spec.status === 401) throw error;
    yield toEvent({ error: openAiError(error) });
  }
}
