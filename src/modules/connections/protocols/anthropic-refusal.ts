import type { ModelRequest } from '../../gateway/gateway.port.js';

/**
 * Returns why Anthropic's protocol does not support the request. It would silently ignore JSON without a schema, and
 * answer prose.
 */
export function anthropicRefusal({ responseFormat }: ModelRequest): string | undefined {
  const isAnyJson = responseFormat?.type === 'json' && responseFormat.schema === undefined;
  return isAnyJson ? 'answers with JSON only if response_format has a schema' : undefined;
}
