import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { FinishReason, ModelUsage } from '../../gateway/gateway.port.js';
import type { AnswerPiece } from './answer-pieces.js';

const Part = z.object({
  text: z.string().optional(),
  /** Whether the text is one of the model's thoughts. */
  thought: z.boolean().optional(),
  thoughtSignature: z.string().optional(),
  functionCall: z.object({ name: z.string(), args: z.record(z.string(), z.unknown()).optional() }).optional(),
});

const Candidate = z.object({
  content: z.object({ parts: z.array(Part).default([]) }).optional(),
  finishReason: z.string().optional(),
});

const Usage = z.object({
  promptTokenCount: z.number().optional(),
  cachedContentTokenCount: z.number().optional(),
  candidatesTokenCount: z.number().default(0),
  thoughtsTokenCount: z.number().default(0),
});

/** An answer as a whole, or an event of a streamed one. */
const Answer = z
  .object({
    candidates: z.array(Candidate).optional(),
    promptFeedback: z.object({ blockReason: z.string().optional() }).optional(),
    usageMetadata: Usage.optional(),
  })
  .refine(({ candidates, promptFeedback, usageMetadata }) => candidates ?? promptFeedback ?? usageMetadata);

const FINISHED: Readonly<Record<string, FinishReason>> = {
  STOP: 'stop',
  MAX_TOKENS: 'length',
  SAFETY: 'content-filter',
  RECITATION: 'content-filter',
  BLOCKLIST: 'content-filter',
  PROHIBITED_CONTENT: 'content-filter',
  SPII: 'content-filter',
  IMAGE_SAFETY: 'content-filter',
  MALFORMED_FUNCTION_CALL: 'error',
};

export function geminiPiece(answer: unknown): AnswerPiece {
  const { candidates: [candidate] = [], promptFeedback, usageMetadata } = Answer.parse(answer);
  const parts = candidate?.content?.parts ?? [];
  return {
    text: parts.map(({ text = '', thought }) => (thought ? '' : text)).join(''),
    calls: parts.flatMap(toCalls),
    finish: finishOf(candidate?.finishReason, promptFeedback?.blockReason),
    usage: usageMetadata && usageOf(usageMetadata),
  };
}

/** A prompt that is blocked has no candidates. */
function finishOf(finishReason: string | undefined, blockReason: string | undefined): AnswerPiece['finish'] {
  if (finishReason !== undefined) return { unified: FINISHED[finishReason] ?? 'other', raw: finishReason };
  return blockReason === undefined ? undefined : { unified: 'content-filter', raw: blockReason };
}

/**
 * Some models take the result of a call only together with the signature of the thought that led to it. The id of the
 * call carries it, because that is what comes back with the result.
 */
function toCalls({ functionCall, thoughtSignature }: z.infer<typeof Part>): AnswerPiece['calls'] {
  if (!functionCall) return [];
  const { name: toolName, args = {} } = functionCall;
  const toolCallId = `gemini_${randomUUID()}${thoughtSignature === undefined ? '' : `.${thoughtSignature}`}`;
  return [{ type: 'tool-call', toolCallId, toolName, input: JSON.stringify(args) }];
}

export function signatureIn(toolCallId: string): string | undefined {
  return /^gemini_[0-9a-f-]{36}\.(.+)$/s.exec(toolCallId)?.[1];
}

function usageOf(usage: z.infer<typeof Usage>): ModelUsage {
  const { promptTokenCount, cachedContentTokenCount, candidatesTokenCount, thoughtsTokenCount } = usage;
  return {
    inputTokens: {
      total: promptTokenCount,
      noCache: undefined,
      cacheRead: cachedContentTokenCount,
      cacheWrite: undefined,
    },
    outputTokens: {
      total: candidatesTokenCount + thoughtsTokenCount,
      text: candidatesTokenCount,
      reasoning: thoughtsTokenCount,
    },
  };
}
