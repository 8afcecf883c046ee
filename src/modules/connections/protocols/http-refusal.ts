import type { ModelRequest } from '../../gateway/gateway.port.js';
import type { ApiFields } from '../connection-fields.schema.js';
import { missingVariables } from './http-variables.js';

type Part = Exclude<ModelRequest['prompt'][number]['content'], string>[number];

/** Returns why a template cannot express the request, for people. Templates can be filled with text only. */
export function templateRefusal(fields: ApiFields, model: string, request: ModelRequest): string | undefined {
  if (request.tools?.length) return 'does not accept tools';
  const parts = request.prompt.flatMap(({ content }): Part[] => (typeof content === 'string' ? [] : content));
  const [unsupported] = parts.map(unsupportedPart).filter((reason) => reason !== undefined);
  const missing = missingVariables(fields, model, request);
  return unsupported ?? (missing.length > 0 ? `needs a value for ${missing.join(', ')}` : undefined);
}

function unsupportedPart(part: Part): string | undefined {
  if (part.type === 'tool-call' || part.type === 'tool-result')
    return 'does not accept calls of tools and their results';
  if (part.type !== 'file') return undefined;
  if (part.mediaType.startsWith('image/')) return 'does not accept images';
  return part.mediaType.startsWith('audio/') ? 'does not accept audio' : 'does not accept files';
}
