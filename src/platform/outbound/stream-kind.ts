/** What the parts of a stream are: events, each up to a blank line, or lines. */
export type StreamKind = 'events' | 'lines';

/** What an answer comes in, as its type says; nothing where it comes whole. */
export function streamKind({ headers }: Response): StreamKind | undefined {
  const [type = ''] = (headers.get('content-type') ?? '').split(';');
  if (/event-stream/i.test(type)) return 'events';
  return /ndjson|jsonl/i.test(type) ? 'lines' : undefined;
}
