export interface StreamEvent {
  /** `message` if the service sent no name. */
  event: string;
  data: string;
}

/**
 * Reads server-sent events from an answer. The connection is closed when the reader stops. `onArrival` is also called for
 * heartbeats.
 */
export async function* eventsIn(response: Response, onArrival?: () => void): AsyncGenerator<StreamEvent> {
  let rest = '';
  for await (const text of textsOf(response)) {
    onArrival?.();
    const parts = (rest + text).replaceAll('\r\n', '\n').split('\n\n');
    rest = parts.pop()!;
    for (const part of parts) {
      const event = parse(part);
      if (event) yield event;
    }
  }
}

async function* textsOf(response: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  // Some browsers cannot iterate over a stream, so it is read by hand.
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield decoder.decode(value, { stream: true });
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function parse(block: string): StreamEvent | undefined {
  let event = 'message';
  const data: string[] = [];
  for (const line of block.split('\n')) {
    const [field, value] = split(line);
    if (field === 'event') event = value;
    if (field === 'data') data.push(value);
  }
  return data.length > 0 ? { event, data: data.join('\n') } : undefined;
}

function split(line: string): [string, string] {
  const at = line.indexOf(':');
  if (at < 0) return [line, ''];
  const value = line.slice(at + 1);
  return [line.slice(0, at), value.startsWith(' ') ? value.slice(1) : value];
}

/** Reads the lines of an answer as they arrive. */
export async function* linesIn(response: Response): AsyncGenerator<string> {
  let rest = '';
  for await (const text of textsOf(response)) {
    const lines = (rest + text).split('\n');
    rest = lines.pop()!;
    yield* lines.filter((line) => line !== '');
  }
  if (rest !== '') yield rest;
}
