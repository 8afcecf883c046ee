import { answerOf, type Answer } from './client.js';
import type { Target } from './service.js';

/** A stream of events that a test reads piece by piece and closes at any time. */
export interface OpenEventStream {
  readonly status: number;
  /** Returns the next event. */
  next(): Promise<string>;
  close(): Promise<void>;
}

interface StreamRequest {
  key: string;
  path: string;
  /** Sent with POST. */
  body?: object;
}

/** Opens a stream, or returns its refusal. */
export async function openStream(
  { url }: Pick<Target, 'url'>,
  { key, path, body }: StreamRequest,
): Promise<OpenEventStream | Answer> {
  const response = await fetch(url + path, {
    method: body ? 'POST' : 'GET',
    headers: { 'x-api-key': key, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const { status, headers } = response;
  if (!headers.get('content-type')?.startsWith('text/event-stream')) {
    return answerOf({ verb: body ? 'POST' : 'GET', path }, status, headers, await response.text());
  }
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  return {
    status,
    next: async () => (await reader.read()).value ?? '',
    close: () => reader.cancel(),
  };
}

/** Opens a stream, and fails if it is refused. */
export async function mustStream(target: Pick<Target, 'url'>, request: StreamRequest): Promise<OpenEventStream> {
  const opened = await openStream(target, request);
  if ('next' in opened) return opened;
  throw new Error(`No stream was opened: ${opened.text}`);
}

/** Returns the refusal of a stream, and fails if it opens. */
export async function refusedStream(target: Pick<Target, 'url'>, request: StreamRequest): Promise<Answer> {
  const opened = await openStream(target, request);
  if (!('next' in opened)) return opened;
  await opened.close();
  throw new Error('A stream was opened');
}
