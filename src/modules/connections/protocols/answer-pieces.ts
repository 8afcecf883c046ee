import type { ModelPart, ModelResult, ModelStream, ModelUsage } from '../../gateway/gateway.port.js';
import { toUsage } from './http-answer.js';

type ToolCall = Extract<ModelPart, { type: 'tool-call' }>;
type Finish = ModelResult['finishReason'];

/** A part of a streamed answer, or the whole of another one. */
export interface AnswerPiece {
  text: string;
  calls: ToolCall[];
  /** Why the model stopped, if it did. */
  finish?: Finish | undefined;
  usage?: ModelUsage | undefined;
}

export function resultOf({ text, calls, finish, usage = toUsage({}) }: AnswerPiece): ModelResult {
  if (!finish) throw new Error('The answer is incomplete');
  const texts = text === '' ? [] : [{ type: 'text' as const, text }];
  return { content: [...texts, ...calls], finishReason: finishOf(finish, calls.length), usage, warnings: [] };
}

export function streamOf(pieces: AsyncIterable<AnswerPiece>): ModelStream {
  return ReadableStream.from(partsOf(pieces));
}

async function* partsOf(pieces: AsyncIterable<AnswerPiece>): AsyncGenerator<ModelPart> {
  const id = '0';
  let isText = false;
  let calls = 0;
  let finish: Finish | undefined;
  let usage = toUsage({});
  for await (const piece of pieces) {
    if (piece.text !== '') {
      if (!isText) yield { type: 'text-start', id };
      isText = true;
      yield { type: 'text-delta', id, delta: piece.text };
    }
    for (const call of piece.calls) {
      yield* partsOfCall(call);
      calls += 1;
    }
    finish = piece.finish ?? finish;
    usage = piece.usage ?? usage;
  }
  if (isText) yield { type: 'text-end', id };
  // Without this part, the gateway takes the answer for an incomplete one.
  if (finish) yield { type: 'finish', finishReason: finishOf(finish, calls), usage };
}

function partsOfCall(call: ToolCall): ModelPart[] {
  const { toolCallId: id, toolName, input } = call;
  return [
    { type: 'tool-input-start', id, toolName },
    { type: 'tool-input-delta', id, delta: input },
    { type: 'tool-input-end', id },
    call,
  ];
}

/** These protocols have no reason of their own for calls of tools. */
function finishOf({ unified, raw }: Finish, calls: number): Finish {
  return { unified: calls > 0 && unified === 'stop' ? 'tool-calls' : unified, raw };
}
