import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';
import { z } from 'zod';
import type { Answer } from './answer.js';

export const EVENT_STREAM = 'text/event-stream; charset=utf-8';

/** Answers with the result unchanged, or with a stream of events if the body has `stream: true`. */
export function plainOrEvents<View extends z.ZodType<object>>(view: View): Answer<z.output<View> | StreamableFile> {
  const isEventStream = (body: unknown) => (body as { stream?: unknown }).stream === true;
  return { schema: view, result: view, isEventStream, wrap: (result) => result };
}

/** Answers with a stream of events. `example` is one of them. */
export function events(example: string): Answer<StreamableFile> {
  return {
    schema: z.string().meta({ examples: [example] }),
    result: z.instanceof(StreamableFile),
    contentType: EVENT_STREAM,
    isEventStream: () => true,
    wrap: (result) => result,
  };
}

/**
 * Sends server-sent events. An error closes the connection, even before the first event, because Nest would answer it
 * with a 400 in its own format.
 */
export function eventStream(events: AsyncIterable<string>): StreamableFile {
  return new StreamableFile(Readable.from(events), { type: EVENT_STREAM })
    .setErrorHandler((_error, response) => void (response as unknown as ServerResponse).destroy())
    .setErrorLogger(() => undefined);
}

export function toEvent(data: object, name?: string): string {
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
}
