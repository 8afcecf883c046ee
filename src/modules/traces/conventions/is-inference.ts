import type { Attributes } from '../otlp/attributes.js';
import { INPUT_TOKENS, MODEL, OUTPUT_TOKENS } from './names.js';
import { numberAt, textAt } from './values.js';

/** Calls of a model that answers. Agents, chains, tools, embeddings and retrievals are other operations. */
const OPERATIONS = ['chat', 'text_completion', 'generate_content', 'completion'];

/**
 * Whether the span is one call of a model. What runs around such calls often repeats their model and sums their tokens,
 * so what a span says it is comes first; only of one that says nothing, its model and tokens are believed.
 */
export function isInference(attributes: Attributes): boolean {
  const kind = textAt(attributes, ['openinference.span.kind']);
  if (kind !== undefined) return kind.toUpperCase() === 'LLM';
  if (textAt(attributes, ['traceloop.span.kind']) !== undefined) return false;
  const vercel = textAt(attributes, ['ai.operationId']);
  if (vercel !== undefined) return /\.do(Generate|Stream)$/.test(vercel);
  const operation = textAt(attributes, ['gen_ai.operation.name', 'llm.request.type']);
  if (operation !== undefined) return OPERATIONS.includes(operation.toLowerCase());
  return (
    textAt(attributes, MODEL) !== undefined && numberAt(attributes, [...INPUT_TOKENS, ...OUTPUT_TOKENS]) !== undefined
  );
}
