import { type ModelProtocol, type ModelRequest, UnsupportedRequest } from '../../gateway/gateway.port.js';
import type { ApiFields } from '../connection-fields.schema.js';
import { parseJsonPath } from '../json-path.js';
import { streamKind } from '../../../platform/outbound/stream-kind.js';
import { ComputeFailure } from '../../../platform/compute/compute-task.js';
import { TemplateFailure } from '../../../platform/template/filling.js';
import { type Scope, scopeOf } from '../../../platform/template/scope.js';
import type { TemplatesOf } from '../../../platform/template/templates.js';
import { variablesOf } from './http-variables.js';
import { asStream } from './features.js';
import { toResult } from './http-answer.js';
import { streamOfEvents } from './http-stream.js';
import type { Endpoint } from './endpoint.js';
import { postJson, readJson } from './json-post.js';

/** The payload of a connection that sets only an output path. */
const DEFAULT_PAYLOAD = { model: '{{ model }}', messages: '{{ messages }}', stream: '{{ stream }}' };
/** Limits what a template inserts from a request. The template's own text is not counted. */
const MAX_PAYLOAD_CHARACTERS = 16 * 1024 * 1024;
const DEFAULT_OUTPUT_PATH = 'choices[0].message.content';
const DEFAULT_INPUT_TOKENS_PATH = 'usage.prompt_tokens';
const DEFAULT_OUTPUT_TOKENS_PATH = 'usage.completion_tokens';

/** The protocol for any HTTP endpoint. It sends a filled template, and finds the answer by paths. */
export function templated(
  { baseUrl: address, model, fetch }: Endpoint,
  fields: ApiFields,
  templates: TemplatesOf,
): ModelProtocol {
  const paths = {
    output: parseJsonPath(fields.outputPath ?? DEFAULT_OUTPUT_PATH)!,
    inputTokens: parseJsonPath(fields.inputTokensPath ?? DEFAULT_INPUT_TOKENS_PATH)!,
    outputTokens: parseJsonPath(fields.outputTokensPath ?? DEFAULT_OUTPUT_TOKENS_PATH)!,
  };
  const send = async (request: ModelRequest, stream: boolean): Promise<Response> => {
    const scope = scopeOf(variablesOf(fields, model, request, stream));
    const body = await payloadOf(fields.payload ?? DEFAULT_PAYLOAD, scope, templates);
    const accept = stream ? 'text/event-stream, */*' : 'application/json';
    return postJson(fetch, address, { headers: { accept }, body, signal: request.abortSignal });
  };
  const readAnswer = (response: Response) => readJson(address, response, (answer) => toResult(answer, paths));
  return {
    specificationVersion: 'v4',
    provider: 'api',
    modelId: model,
    supportedUrls: {},
    doGenerate: async (request) => readAnswer(await send(request, false)),
    doStream: async (request) => {
      const response = await send(request, true);
      if (!streamKind(response)) return asStream(await readAnswer(response));
      return { stream: streamOfEvents(response, paths) };
    },
  };
}

async function payloadOf(payload: object, scope: Scope, templates: TemplatesOf): Promise<string> {
  try {
    return (await templates.value(payload, scope, MAX_PAYLOAD_CHARACTERS)).text;
  } catch (error) {
    if (!(error instanceof TemplateFailure) && !(error instanceof ComputeFailure)) throw error;
    throw new UnsupportedRequest(
      'has a payload whose template fails with this request, takes too long, or produces more than 16 MiB',
      error,
    );
  }
}
