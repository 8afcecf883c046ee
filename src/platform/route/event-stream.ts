import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';
import type { z } from 'zod';
import type { Answer } from './answer.js';

export const EVENT_STREAM = 'text/event-stream; charset=utf-8';

/** The result as it is, or a stream of events in its place. */
export function plainOrEvents<View extends z.ZodType<object>>(view: View): Answer<z.output<View> | StreamableFile> {
  return { schema: view, result: view, wrap: (result) => result };
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
