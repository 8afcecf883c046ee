import { CALL_LIMITS } from '../../ledger/call.schema.js';
import type { Attributes } from '../otlp/attributes.js';
import { CACHED_TOKENS, INPUT_TOKENS, OUTPUT_TOKENS, REASONING_TOKENS } from './names.js';
import { numberAt, toCount } from './values.js';

/** As the ledger counts: cached is part of input, and reasoning stands beside completion. */
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
  // More cached than input: some providers count what was cached beside the rest. So with reasoning.
  const inputTokens = cached > input ? toCount(input + cached) : input;
  const completionTokens = reasoning > output ? output : output - reasoning;
  return {
    inputTokens,
    cachedTokens: cached,
    completionTokens,
    reasoningTokens: Math.min(reasoning, CALL_LIMITS.count - completionTokens),
  };
}
