import {
  type ModelPart,
  type ModelProtocol,
  type ModelRequest,
  type ModelResult,
  oneToolAtATime,
} from '../../gateway/gateway.port.js';
import type { ApiFields } from '../connection-fields.schema.js';

type Features = NonNullable<ApiFields['llmFeatures']>;

/** Converts a complete answer to the parts of a stream. */
export function asStream({ content, finishReason, usage }: ModelResult): {
  stream: ReadableStream<ModelPart>;
} {
  const parts = content.flatMap((part, at): ModelPart[] => {
    if (part.type !== 'text') return part.type === 'tool-call' ? [part] : [];
    const id = String(at);
    return [
      { type: 'text-start', id },
      { type: 'text-delta', id, delta: part.text },
      { type: 'text-end', id },
    ];
  });
  return { stream: ReadableStream.from([...parts, { type: 'finish', finishReason, usage }]) };
}

/** Limits a protocol to the features that the endpoint supports according to its connection. */
export function limitedTo(protocol: ModelProtocol, { streaming, parallelToolCalling }: Features = {}): ModelProtocol {
  const limited = (request: ModelRequest): ModelRequest => {
    if (parallelToolCalling !== false || !request.tools) return request;
    return { ...request, providerOptions: oneToolAtATime(request.providerOptions) };
  };
  return {
    specificationVersion: 'v4',
    provider: protocol.provider,
    modelId: protocol.modelId,
    supportedUrls: protocol.supportedUrls,
    doGenerate: (request) => protocol.doGenerate(limited(request)),
    doStream: async (request) =>
      streaming === false ? asStream(await protocol.doGenerate(limited(request))) : protocol.doStream(limited(request)),
  };
}

/**
 * Returns why an endpoint with these features does not support the request. Features that are not mentioned are
 * supported.
 */
export function missingFeature(features: Features | undefined, request: ModelRequest): string | undefined {
  if (!features) return undefined;
  const { toolCalling, supportTools, structuredResponse } = features;
  const toolFlags = [toolCalling, supportTools];
  const takesTools = toolFlags.includes(true) || !toolFlags.includes(false);
  if (request.tools?.length && !takesTools) return 'does not accept tools';
  if (request.responseFormat?.type === 'json' && structuredResponse === false)
    return 'does not give structured answers';
  return undefined;
}
