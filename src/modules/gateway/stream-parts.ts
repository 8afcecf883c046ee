import type { ModelPart, ModelStream } from './gateway.port.js';
import { ANSWERED, failureOf, ModelFailure, NO_ANSWER } from './model-failure.js';

/** Parts that a protocol sends before the model has said anything. */
const PREFACE = new Set<ModelPart['type']>(['stream-start', 'response-metadata', 'raw', 'ping']);

const HALF = 'ended its answer half way';

/**
 * The parts of a stream from the first one on in which the model says something: until then a call can be made again.
 * A stream that fails, or ends without saying why it ends, throws.
 */
export async function partsOf(stream: ModelStream): Promise<AsyncIterable<ModelPart>> {
  const parts = checked(stream);
  let first = await parts.next();
  while (!first.done && PREFACE.has(first.value.type)) first = await parts.next();
  if (first.done) throw new ModelFailure(NO_ANSWER, { providerStatus: ANSWERED });
  return startingWith(first.value, parts);
}

async function* startingWith(first: ModelPart, rest: AsyncGenerator<ModelPart>): AsyncGenerator<ModelPart> {
  try {
    yield first;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

async function* checked(stream: ModelStream): AsyncGenerator<ModelPart> {
  let isBegun = false;
  let isFinished = false;
  const incomplete = () => new ModelFailure(isBegun ? HALF : NO_ANSWER, { providerStatus: ANSWERED });
  for await (const part of begun(stream)) {
    if (part.type === 'error') throw failureOf(part.error, ANSWERED);
    isFinished = part.type === 'finish';
    if (part.type === 'finish' && part.finishReason.raw === undefined) throw incomplete();
    isBegun ||= !PREFACE.has(part.type);
    yield part;
  }
  if (!isFinished) throw incomplete();
}

/** What fails in it does so after the provider has said that it answers. */
async function* begun(stream: ModelStream): AsyncGenerator<ModelPart> {
  try {
    yield* stream;
  } catch (error) {
    throw failureOf(error, ANSWERED);
  }
}
