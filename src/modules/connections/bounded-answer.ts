import { boundedEvents } from '../../platform/outbound/bounded-events.js';
import { bounded } from '../../platform/outbound/bounded-body.js';

const MIB = 1024 * 1024;
/** It is parsed at once, and nothing else is done meanwhile. */
const MAX_WHOLE_BYTES = 4 * MIB;
const MAX_EVENT_BYTES = MIB;
export const MAX_STREAM_BYTES = 32 * MIB;

/** As much of an answer as is read: of events more than of what has to be read whole. */
export function boundedAnswer(response: Response, isStream: boolean): Response {
  if (!isStream || !response.ok || !isEvents(response)) return bounded(response, MAX_WHOLE_BYTES, (error) => error);
  const { status, statusText, headers } = response;
  const body = response.body?.pipeThrough(boundedEvents(MAX_EVENT_BYTES)) ?? null;
  return new Response(body, { status, statusText, headers: [...headers] });
}

function isEvents({ headers }: Response): boolean {
  return /^text\/event-stream\b/i.test(headers.get('content-type') ?? '');
}
