import type { StreamableFile } from '@nestjs/common';
import { SlipwayError } from '../../kernel/errors.js';
import { fromDatabaseFault } from '../../platform/database/database.errors.js';
import { eventStream, plainOrEvents, toEvent } from '../../platform/route/event-stream.js';
import { ChatCompletion, toChunks } from './chat-answer.js';
import { openAiError } from './open-ai-error.js';
import type { Streamed } from './gateway.service.js';

/** The answer of the route: a completion, or a stream of events. */
export const completionOrStream = plainOrEvents(ChatCompletion);

/**
 * Streams the answer as events, and ends with [DONE]. A failure is sent as an event, because the status has been sent
 * already.
 */
export function toEventStream(streamed: Streamed, withUsage: boolean): StreamableFile {
  return eventStream(eventsOf(streamed, withUsage));
}

async function* eventsOf(streamed: Streamed, withUsage: boolean): AsyncGenerator<string> {
  try {
    for await (const chunk of toChunks(streamed, withUsage)) yield toEvent(chunk);
    yield 'data: [DONE]\n\n';
  } catch (thrown) {
    // The database may be away when the call is recorded, which is after the last part was sent.
    const error = thrown instanceof SlipwayError ? thrown : fromDatabaseFault(thrown);
    // The connection of an aborted request is cut. Its client has left, or its key was revoked.
    if (!error || error.spec.status === 401) throw thrown;
    yield toEvent({ error: openAiError(error) });
  }
}
