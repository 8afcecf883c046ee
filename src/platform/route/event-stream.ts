import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';
import { z } from 'zod';
import type { Answer } from './answer.js';

export const EVENT_STREAM = 'text/event-stream; charset=utf-8';

/** The result as it is, or a stream of events in its place, for a body that asks for one with `stream`. */
export function plainOrEvents<View extends z.ZodType<object>>(view: View): Answer<z.output<View> | StreamableFile> {
  const isEventStream = (body: unknown) => (body as { stream?: unknown }).stream === true;
  return { schema: view, result: view, isEventStream, wrap: (result) => result };
}

/** A stream of events, of which one is shown. */
export function events(example: string): Answer<StreamableFile> {
  return {
    schema: z.string().meta({ examples: [example] }),
    result: z.instanceof(StreamableFile),
    contentType: EVENT_STREAM,
    isEventStream: () => true,
    wrap: (result) => result,
  };
}

/** Server-sent events. What fails is cut, before its first event too: Nest would answer that with a 400 of its own. */
export function eventStream(events: AsyncIterable<string>): StreamableFile {
  return new StreamableFile(Readable.from(events), { type: EVENT_STREAM })
    .setErrorHandler((_error, response) => void (response as unknown as ServerResponse).destroy())
    .setErrorLogger(() => undefined);
}

export function toEvent(data: object, name?: string): string {
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
}
