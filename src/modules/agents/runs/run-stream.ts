import type { StreamableFile } from '@nestjs/common';
import { eventStream, plainOrEvents, toEvent } from '../../../platform/route/event-stream.js';
import { RunView, toRunView } from './runs.schema.js';
import type { RunsService, StartedRun } from './runs.service.js';

/** The answer of the route: a finished run, or its events as they happen. */
export const runOrStream = plainOrEvents(RunView);

/** The stream has one `run` event, any number of `delta` events, and a `done` event with the whole run. */
export function toEventStream(runs: RunsService, started: StartedRun, signal: AbortSignal): StreamableFile {
  return eventStream(eventsOf(runs, started, signal));
}

async function* eventsOf(
  runs: RunsService,
  { runId, welcome }: StartedRun,
  signal: AbortSignal,
): AsyncGenerator<string> {
  yield toEvent({ runId }, 'run');
  for await (const notice of runs.follow(runId, signal)) {
    if (notice.type === 'delta') yield toEvent({ content: notice.content }, 'delta');
  }
  yield toEvent(toRunView(await runs.details(runId, welcome)), 'done');
}
