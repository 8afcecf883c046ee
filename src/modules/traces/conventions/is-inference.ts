import type { Attributes } from '../otlp/attributes.js';
import { INPUT_TOKENS, MODEL, OUTPUT_TOKENS } from './names.js';
import { numberAt, textAt } from './values.js';

/** The operations that are calls of a model. Agents, chains, tools, embeddings and retrievals are not among them. */
const OPERATIONS = ['chat', 'text_completion', 'generate_content', 'completion'];

/**
 * Whether the span is one call of a model. Spans around such calls often repeat the model and sum the tokens. The kind
 * that a span declares therefore decides first; model and tokens decide only for a span that declares none.
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
