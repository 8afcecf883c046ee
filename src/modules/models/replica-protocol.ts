import { APICallError } from '@ai-sdk/provider';
import { randomBase62 } from '../../kernel/base62.js';
import type { ModelPart, ModelProtocol, ModelRequest, ModelResult } from '../gateway/gateway.port.js';
import type { HyperParameters } from './deploy-model.schema.js';
import type { GenerateEnd, GenerateRequest } from './hosts/replica-calls.js';
import type { ModelDeployment } from './model-deployment.entity.js';
import type { ReplicaClient } from './replica-client.js';
import { toMessages, toTools } from './replica-prompt.js';

/** The protocol with which the gateway calls a model that this installation serves. */
export function replicaProtocol({ id, name, hyperParameters }: ModelDeployment, client: ReplicaClient): ModelProtocol {
  const call = (request: ModelRequest, isStream: boolean) => {
    // The signal is always there, because the gateway limits the time of every call.
    return client.generate(id, { ...toGenerateRequest(request, hyperParameters), isStream }, request.abortSignal!);
  };
  return {
    specificationVersion: 'v4',
    provider: 'custom',
    modelId: name,
    supportedUrls: {},
    async doGenerate(request) {
      const content: ModelResult['content'] = [];
      let end: GenerateEnd | undefined;
      for await (const line of call(request, false)) {
        const last = content.at(-1);
        if ('end' in line) end = line.end;
        else if ('call' in line) content.push(toToolCall(line.call, content.length));
        else if (last?.type === 'text') last.text += line.text;
        else content.push({ type: 'text', text: line.text });
      }
      return { ...resultOf(end), content };
    },
    async doStream(request) {
      return { stream: ReadableStream.from(partsOf(call(request, true))) };
    },
  };
}

/** Does not stop at the line `end` but reads the whole response, so that the connection can be used again. */
async function* partsOf(lines: ReturnType<ReplicaClient['generate']>): AsyncGenerator<ModelPart> {
  yield { type: 'stream-start', warnings: [] };
  let end: GenerateEnd | undefined;
  let isInText = false;
  let calls = 0;
  for await (const line of lines) {
    if ('text' in line) {
      if (!isInText) yield { type: 'text-start', id: '0' };
      isInText = true;
      yield { type: 'text-delta', id: '0', delta: line.text };
      continue;
    }
    if (isInText) yield { type: 'text-end', id: '0' };
    isInText = false;
    if ('call' in line) yield* callParts(toToolCall(line.call, (calls += 1)));
    else end = line.end;
  }
  const { finishReason, usage } = resultOf(end);
  yield { type: 'finish', finishReason, usage };
}

function* callParts(call: ToolCall): Generator<ModelPart> {
  const { toolCallId: id, toolName, input } = call;
  yield { type: 'tool-input-start', id, toolName };
  yield { type: 'tool-input-delta', id, delta: input };
  yield { type: 'tool-input-end', id };
  yield call;
}

type ToolCall = Extract<ModelResult['content'][number], { type: 'tool-call' }>;

function toToolCall({ name, input }: { name: string; input: unknown }, at: number): ToolCall {
  return {
    type: 'tool-call',
    toolCallId: `call_${at}_${randomBase62(16)}`,
    toolName: name,
    input: JSON.stringify(input ?? {}),
  };
}

/** The deployment's parameters are the defaults of a call, and also its upper limits. */
function toGenerateRequest(request: ModelRequest, bounds: HyperParameters): Omit<GenerateRequest, 'isStream'> {
  const within = (wanted: number | undefined, limit: number) => Math.min(wanted ?? limit, limit);
  const { maxTokens } = bounds;
  const { responseFormat } = request;
  return {
    messages: toMessages(request.prompt),
    tools: request.toolChoice?.type === 'none' ? [] : toTools(request.tools),
    temperature: within(request.temperature, bounds.temperature),
    topP: within(request.topP, bounds.topP),
    topK: Math.max(1, within(request.topK, bounds.topK)),
    maxTokens: maxTokens === 0 ? (request.maxOutputTokens ?? null) : within(request.maxOutputTokens, maxTokens),
    stop: [...new Set([...(bounds.stopSequence ?? []), ...(request.stopSequences ?? [])])],
    seed: request.seed ?? null,
    json: responseFormat?.type === 'json' ? (responseFormat.schema ?? true) : null,
  };
}

function resultOf(end: GenerateEnd | undefined): Pick<ModelResult, 'finishReason' | 'usage' | 'warnings'> {
  if (!end) throw cutOff();
  const { reason, inputTokens, cachedTokens, outputTokens } = end;
  return {
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

/** Makes the error for a replica that died before the last line of its answer. */
function cutOff(): APICallError {
  return new APICallError({
    message: 'The replica ended its answer before it was complete',
    url: 'replica:',
    requestBodyValues: {},
    statusCode: 503,
  });
}
