import { CALL_LIMITS } from '../../ledger/call.schema.js';
import type { Attributes } from '../otlp/attributes.js';
import { CACHED_TOKENS, INPUT_TOKENS, OUTPUT_TOKENS, REASONING_TOKENS } from './names.js';
import { numberAt, toCount } from './values.js';

/** Tokens as the ledger counts them: cached ones are part of the input, reasoning is separate from the completion. */
export interface Usage {
  inputTokens: number;
  cachedTokens: number;
  completionTokens: number;
  reasoningTokens: number;
}

export function usageOf(attributes: Attributes): Usage {
  const count = (names: readonly string[]) => toCount(numberAt(attributes, names) ?? 0);
  const [input, cached] = [count(INPUT_TOKENS), count(CACHED_TOKENS)];
  const [output, reasoning] = [count(OUTPUT_TOKENS), count(REASONING_TOKENS)];
  // More cached tokens than input tokens means that the provider counts them separately. The same applies to reasoning.
  const inputTokens = cached > input ? toCount(input + cached) : input;
  const completionTokens = reasoning > output ? output : output - reasoning;
  return {
    inputTokens,
    cachedTokens: cached,
    completionTokens,
    reasoningTokens: Math.min(reasoning, CALL_LIMITS.count - completionTokens),
  };
}
