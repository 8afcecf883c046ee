import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { FinishReason } from '../../gateway/gateway.port.js';
import type { AnswerPiece } from './answer-pieces.js';
import { toUsage } from './http-answer.js';

const ToolCall = z.object({
  id: z.string().optional(),
  function: z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()).nullish() }),
});

/** An answer as a whole, or a line of a streamed one. */
const Answer = z.object({
  message: z.object({ content: z.string().nullish(), tool_calls: z.array(ToolCall).nullish() }).optional(),
  done: z.boolean(),
  done_reason: z.string().optional(),
  prompt_eval_count: z.number().optional(),
  eval_count: z.number().optional(),
});

const FINISHED: Readonly<Record<string, FinishReason>> = { stop: 'stop', length: 'length' };

export function ollamaPiece(answer: unknown): AnswerPiece {
  const {
    message,
    done,
    done_reason: raw = 'stop',
    prompt_eval_count: input,
    eval_count: output,
  } = Answer.parse(answer);
  return {
    text: message?.content ?? '',
    calls: (message?.tool_calls ?? []).map(({ id, function: { name, arguments: given } }) => ({
      type: 'tool-call',
      // Earlier versions of Ollama give calls no ids.
      toolCallId: id ?? `call_${randomUUID()}`,
      toolName: name,
      input: JSON.stringify(given ?? {}),
    })),
    ...(done && { finish: { unified: FINISHED[raw] ?? 'other', raw }, usage: toUsage({ input, output }) }),
  };
}
