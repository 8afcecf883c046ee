import { isNamedIn } from '../../platform/template/template-names.js';
import { isTemplated } from './api-model.js';
import type { ApiFields } from './connection-fields.schema.js';
import type { ConnectionWarning } from './connections.port.js';

/** The two variables that contain the user's message. No other variable of a template does. */
const NAMES_OF_PROMPT = ['prompt', 'messages'];

/** The members that have an effect only if the connection has its own payload. */
const MEMBERS_OF_TEMPLATE = ['payload', 'outputPath', 'inputTokensPath', 'outputTokensPath', 'promptVars'] as const;

/**
 * Returns warnings about members that are accepted, because clients send them, but may not have the expected effect.
 */
export function warningsOf(fields: ApiFields): ConnectionWarning[] {
  return isTemplated(fields) ? missingPrompt(fields) : unusedTemplate(fields);
}

function missingPrompt({ payload }: ApiFields): ConnectionWarning[] {
  if (payload === undefined) return [];
  if (isNamedIn(payload, NAMES_OF_PROMPT)) return [];
  const message =
    'has no placeholder for the prompt, so the endpoint does not receive what the user says. Put {{ prompt }} or {{ messages }} where the endpoint reads it.';
  return [{ path: 'fields.payload', message }];
}

function unusedTemplate(fields: ApiFields): ConnectionWarning[] {
  const why = fields.mapProvider
    ? 'with mapProvider, requests have the format of that provider'
    : 'without payload or outputPath, requests have the format of OpenAI';
  return MEMBERS_OF_TEMPLATE.filter((member) => fields[member] !== undefined).map((member) => {
    return { path: `fields.${member}`, message: `is stored and has no effect: ${why}.` };
  });
}
