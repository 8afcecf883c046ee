import { APICallError } from 'ai';
import type { ModelPart, ModelProtocol, ModelRequest, ModelResult } from '../gateway/gateway.port.js';
import type { HyperParameters } from './deploy-model.schema.js';
import type { GenerateEnd, GenerateRequest } from './hosts/local/replica-messages.js';
import type { ModelDeployment } from './model-deployment.entity.js';
import type { ReplicaClient } from './replica-client.js';

/** How the gateway speaks to a model that is deployed here. */
export function replicaProtocol(
  { id, name, hyperParameters }: ModelDeployment,
  client: ReplicaClient,
  timeoutMs: number,
): ModelProtocol {
  const call = (request: ModelRequest) => {
    const late = AbortSignal.timeout(timeoutMs);
    const signal = request.abortSignal ? AbortSignal.any([request.abortSignal, late]) : late;
    return client.generate(id, toGenerateRequest(request, hyperParameters), signal);
  };
  return {
    specificationVersion: 'v4',
    provider: 'custom',
    modelId: name,
    supportedUrls: {},
    async doGenerate(request) {
      let text = '';
      for await (const line of call(request)) {
        if ('end' in line) return resultOf(text, line.end);
        text += line.text;
      }
      throw cutOff();
    },
    async doStream(request) {
      return { stream: ReadableStream.from(partsOf(call(request))) };
    },
  };
}

async function* partsOf(lines: ReturnType<ReplicaClient['generate']>): AsyncGenerator<ModelPart> {
  yield { type: 'stream-start', warnings: [] };
  let isBegun = false;
  for await (const line of lines) {
    if (!isBegun) yield { type: 'text-start', id: '0' };
    isBegun = true;
    if ('text' in line) {
      yield { type: 'text-delta', id: '0', delta: line.text };
      continue;
    }
    yield { type: 'text-end', id: '0' };
    const { finishReason, usage } = resultOf('', line.end);
    yield { type: 'finish', finishReason, usage };
    return;
  }
  throw cutOff();
}

/** The deployment's parameters are what a call gets that says nothing, and the most that one gets. */
export function toGenerateRequest(request: ModelRequest, bounds: HyperParameters): GenerateRequest {
  const within = (wanted: number | undefined, most: number) => Math.min(wanted ?? most, most);
  const { maxTokens } = bounds;
  const { responseFormat } = request;
  return {
    messages: request.prompt.map(toMessage),
    temperature: within(request.temperature, bounds.temperature),
    topP: within(request.topP, bounds.topP),
    topK: Math.max(1, within(request.topK, bounds.topK)),
    maxTokens: maxTokens === 0 ? (request.maxOutputTokens ?? null) : within(request.maxOutputTokens, maxTokens),
    stop: [...new Set([...(bounds.stopSequence ?? []), ...(request.stopSequences ?? [])])],
    seed: request.seed ?? null,
    json: responseFormat?.type === 'json' ? (responseFormat.schema ?? true) : null,
  };
}

const ROLES = { system: 'system', user: 'user', assistant: 'model', tool: 'user' } as const;

function toMessage({ role, content }: ModelRequest['prompt'][number]): GenerateRequest['messages'][number] {
  const parts: string[] = [];
  if (typeof content === 'string') parts.push(content);
  else for (const part of content) if (part.type === 'text') parts.push(part.text);
  return { role: ROLES[role], text: parts.join('\n') };
}

function resultOf(text: string, { reason, inputTokens, cachedTokens, outputTokens }: GenerateEnd): ModelResult {
  return {
    content: [{ type: 'text', text }],
    finishReason: { unified: reason, raw: reason },
    usage: {
      inputTokens: {
        total: inputTokens,
        noCache: inputTokens - cachedTokens,
        cacheRead: cachedTokens,
        cacheWrite: undefined,
      },
      outputTokens: { total: outputTokens, text: outputTokens, reasoning: undefined },
    },
    warnings: [],
  };
}

/** The replica died while it spoke. */
function cutOff(): APICallError {
  return new APICallError({
    message: 'The replica ended its answer half way',
    url: 'replica:',
    requestBodyValues: {},
    statusCode: 503,
  });
}
