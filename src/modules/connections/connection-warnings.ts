import { isNamedIn } from '../../platform/template/template-names.js';
import { isTemplated } from './api-model.js';
import type { ApiFields } from './connection-fields.schema.js';
import type { Connection } from './connection.entity.js';
import type { JsonObject } from './secret-members.js';

export interface ConnectionWarning {
  path: string;
  message: string;
}

/** Either holds what the user says; what else a template can name says nothing of it. */
const NAMES_OF_PROMPT = ['prompt', 'messages'];

/** What only a template is filled with, and only its answer is read by. */
const MEMBERS_OF_TEMPLATE = ['payload', 'outputPath', 'inputTokensPath', 'outputTokensPath', 'promptVars'] as const;

/** What is taken, since clients send it, and does not do what whoever sent it may expect. */
export function warningsOf({ provider }: Pick<Connection, 'provider'>, all: JsonObject): ConnectionWarning[] {
  if (provider !== 'API') return [];
  const fields: ApiFields = all;
  return isTemplated(fields) ? unheardPrompt(fields) : unusedTemplate(fields);
}

function unheardPrompt({ payload }: ApiFields): ConnectionWarning[] {
  if (payload === undefined) return [];
  if (isNamedIn(payload, NAMES_OF_PROMPT)) return [];
  const message =
    'has no placeholder for the prompt: what the user says reaches nobody. Put {{ prompt }} or {{ messages }} where the endpoint reads it.';
  return [{ path: 'fields.payload', message }];
}

function unusedTemplate(fields: ApiFields): ConnectionWarning[] {
  const why = fields.mapProvider
    ? 'with mapProvider, the endpoint is spoken to as that provider'
    : 'without payload or outputPath, the endpoint is spoken to as OpenAI';
  return MEMBERS_OF_TEMPLATE.filter((member) => fields[member] !== undefined).map((member) => {
    return { path: `fields.${member}`, message: `is kept and has no effect: ${why}.` };
  });
}
