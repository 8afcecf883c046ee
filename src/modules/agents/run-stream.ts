import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';
import type { Answer } from '../../platform/route/answer.js';
import { RunView, toRunView } from './runs.schema.js';
import type { RunsService } from './runs.service.js';
import type { Id } from '../../kernel/ids.js';

/** A run when it is over, or the stream of one. */
export const runOrStream: Answer<RunView | StreamableFile> = {
  schema: RunView,
  result: RunView,
  wrap: (result) => result,
};

/** Server-sent events: `run`, any number of `delta`, `done` with the whole. */
export function toEventStream(
  runs: RunsService,
  { runId, welcome }: { runId: Id<'run'>; welcome: string | null },
  signal: AbortSignal,
): StreamableFile {
  const events = Readable.from(eventsOf(runs, runId, welcome, signal));
  // Nest would end the answer as if it were whole.
  return new StreamableFile(events, { type: 'text/event-stream; charset=utf-8' })
    .setErrorHandler((_error, response) => void (response as unknown as ServerResponse).destroy())
    .setErrorLogger(() => undefined);
}

async function* eventsOf(
  runs: RunsService,
  runId: Id<'run'>,
  welcome: string | null,
  signal: AbortSignal,
): AsyncGenerator<string> {
  yield event('run', { runId });
  for await (const notice of runs.follow(runId, signal)) {
    if (notice.type === 'delta') yield event('delta', { content: notice.content });
  }
  yield event('done', toRunView(await runs.see(runId, welcome)));
}

function event(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
