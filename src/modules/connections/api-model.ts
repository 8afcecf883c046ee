import { type ModelProtocol, type ModelRequest, UnsupportedRequest } from '../gateway/gateway.port.js';
import type { ApiFields } from './connection-fields.schema.js';
import { filledHeaders } from './filled-headers.js';
import { anthropicRefusal } from './protocols/anthropic-refusal.js';
import { bearer, redirected, withDefaultPath } from './protocols/endpoint.js';
import { limitedTo, missingFeature } from './protocols/features.js';
import type { TemplatesOf } from '../../platform/template/templates.js';
import { templated } from './protocols/http.js';
import { templateRefusal } from './protocols/http-refusal.js';
import { anthropic, openAi } from './protocols/sdk-models.js';

/** Only connections that were created before headers were checked can fail with this reason. */
const NO_HEADER =
  'cannot be called through this connection, whose variables put characters that headers cannot have into the header';

/** Makes the model of a connection of the provider `API`: in the protocol of `mapProvider`, its own template, or OpenAI's. */
export function apiModel(fields: ApiFields, model: string, send: typeof fetch, templates: TemplatesOf): ModelProtocol {
  const protocol = makeProtocol(fields, model, send, templates);
  return limitedTo(protocol, isTemplated(fields) ? { streaming: false, ...fields.llmFeatures } : fields.llmFeatures);
}

function makeProtocol(fields: ApiFields, model: string, guarded: typeof fetch, templates: TemplatesOf): ModelProtocol {
  const exact = fields.endpointUrl ?? fields.LLM_API_URL;
  const baseUrl = exact ?? fields.BASE_URL!;
  const apiKey = fields.API_KEY ?? fields.LLM_API_KEY;
  const sendTo = (address?: string) => withHeaders(fields, guarded, address, templates);
  if (isTemplated(fields)) return templated({ baseUrl, model, fetch: withBearer(apiKey, sendTo()) }, fields, templates);

  const make = fields.mapProvider === 'vendor2Model' ? anthropic : openAi;
  return make({ baseUrl: exact ?? withDefaultPath(baseUrl, '/v1'), model, apiKey, fetch: sendTo(exact) });
}

/** Returns why the endpoint does not support the request, for people; undefined if it does. */
export function apiRefusal(fields: ApiFields, model: string, request: ModelRequest): string | undefined {
  return (
    protocolRefusal(fields, model, request) ??
    missingFeature(fields.llmFeatures, request) ??
    missingMapping(fields, request)
  );
}

function protocolRefusal(fields: ApiFields, model: string, request: ModelRequest): string | undefined {
  if (isTemplated(fields)) return templateRefusal(fields, model, request);
  return fields.mapProvider === 'vendor2Model' ? anthropicRefusal(request) : undefined;
}

/** Whether calls are sent as the connection's own payload instead of in a known protocol. */
export function isTemplated({ mapProvider, payload, outputPath }: ApiFields): boolean {
  return mapProvider === undefined && (payload !== undefined || outputPath !== undefined);
}

function missingMapping({ IOMapping, IOMappings }: ApiFields, { prompt }: ModelRequest): string | undefined {
  const mappings = [...(IOMappings ?? []), ...(IOMapping ? [IOMapping] : [])];
  if (mappings.length === 0) return undefined;
  const files = prompt.flatMap(({ content }) => {
    return typeof content === 'string' ? [] : content.flatMap((part) => (part.type === 'file' ? [part.mediaType] : []));
  });
  if (files.some((type) => type.startsWith('image/')) && !mappings.includes('imageToText'))
    return 'does not accept images';
  // Providers process the pages of a document like images.
  if (files.includes('application/pdf') && !mappings.includes('imageToText')) return 'does not accept documents';
  if (files.some((type) => type.startsWith('audio/')) && !mappings.includes('audioToText'))
    return 'does not accept audio';
  if (files.length === 0 && !mappings.includes('textToText')) return 'does not answer text with text';
  return undefined;
}

/** Adds the connection's own headers, filled with its variables, to every request. */
function withHeaders(
  fields: ApiFields,
  guarded: typeof fetch,
  address: string | undefined,
  templates: TemplatesOf,
): typeof fetch {
  const hasKey = (fields.API_KEY ?? fields.LLM_API_KEY) !== undefined;
  return async (input, init) => {
    const headers = (await filledHeaders(fields, templates)).map(({ name, value }): [string, string] => {
      if (value === undefined) throw new UnsupportedRequest(`${NO_HEADER} ${name}`);
      return [name, value];
    });
    return redirected(guarded, { address, headers, hasKey })(input, init);
  };
}

/** Sends the key as most endpoints expect it. The connection's own headers may replace it. */
function withBearer(apiKey: string | undefined, send: typeof fetch): typeof fetch {
  return (input, init) =>
    send(input, { ...init, headers: { ...Object.fromEntries(new Headers(init?.headers)), ...bearer(apiKey) } });
}
