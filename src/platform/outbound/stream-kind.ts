/** The parts of a stream: events, each up to a blank line, or lines. */
export type StreamKind = 'events' | 'lines';

/** Returns the parts of an answer according to its content type, or undefined if it comes as a whole. */
export function streamKind({ headers }: Response): StreamKind | undefined {
  const [type = ''] = (headers.get('content-type') ?? '').split(';');
  if (/event-stream/i.test(type)) return 'events';
  return /ndjson|jsonl/i.test(type) ? 'lines' : undefined;
}
