import { linesOf, textsOf } from '../../../kernel/lines.js';
import type { ModelPart, ModelStream } from '../../gateway/gateway.port.js';
import { readJsonPath } from '../json-path.js';
import { type AnswerPaths, type Counts, countsIn, textOf, toUsage } from './http-answer.js';

/** Reads a stream of events (`data: {…}`) or of lines of JSON, each with a piece of the text at the output path. */
export function streamOfEvents(response: Response, paths: AnswerPaths): ModelStream {
  return ReadableStream.from(partsOf(response, paths));
}

async function* partsOf(response: Response, paths: AnswerPaths): AsyncGenerator<ModelPart> {
  const id = '0';
  let counts: Counts = {};
  let isBegun = false;
  for await (const event of eventsIn(response)) {
    const delta = readJsonPath(event, paths.output) ?? readJsonPath(event, paths.output.map(toDelta));
    counts = { ...counts, ...countsIn(event, paths) };
    if (delta === undefined || delta === null || delta === '') continue;
    if (!isBegun) yield { type: 'text-start', id };
    isBegun = true;
    yield { type: 'text-delta', id, delta: textOf(delta) };
  }
  if (!isBegun) throw new Error('The stream has nothing at the output path');
  yield { type: 'text-end', id };
  yield { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage: toUsage(counts) };
}

/** A streamed event has `delta` in the place where a complete answer has `message`. */
function toDelta(step: string): string {
  return step === 'message' ? 'delta' : step;
}

/** Returns the events of a stream, or its lines of JSON. Throws an error if one of them reports an error. */
export async function* eventsIn({ body }: Response): AsyncGenerator<unknown> {
  if (!body) return;
  for await (const line of linesOf(textsOf(body))) {
    const text = line.replace(/^data:\s*/, '').trim();
    if (text === '[DONE]') return;
    if (!text.startsWith('{')) continue;
    const event: unknown = JSON.parse(text);
    if (readJsonPath(event, ['error'])) throw new Error('The stream reports an error');
    yield event;
  }
}
