import type { ModelPart, ModelStream } from './gateway.port.js';
import { ANSWERED, failureOf, ModelFailure, NO_ANSWER } from './model-failure.js';

/** Parts that a protocol yields before the model has answered anything. */
const PREFACE = new Set<ModelPart['type']>(['stream-start', 'response-metadata', 'raw', 'ping']);

const INCOMPLETE = 'ended its answer before it was complete';

/**
 * Resolves at the first part that the model wrote, because until then the call can be repeated. The returned parts
 * begin with it. They throw if the stream fails or ends without a reason.
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
  const incomplete = () => new ModelFailure(isBegun ? INCOMPLETE : NO_ANSWER, { providerStatus: ANSWERED });
  for await (const part of withFailures(stream)) {
    if (part.type === 'error') throw failureOf(part.error, ANSWERED);
    isFinished = part.type === 'finish';
    if (part.type === 'finish' && part.finishReason.raw === undefined) throw incomplete();
    isBegun ||= !PREFACE.has(part.type);
    yield part;
  }
  if (!isFinished) throw incomplete();
}

/** Converts errors of the stream to failures. The provider's status was a success, because its answer had begun. */
async function* withFailures(stream: ModelStream): AsyncGenerator<ModelPart> {
  try {
    yield* stream;
  } catch (error) {
    throw failureOf(error, ANSWERED);
  }
}
