import { definedMembers } from '../../../kernel/defined-members.js';
import type { ModelRequest } from '../../gateway/gateway.port.js';
import type { ApiFields } from '../connection-fields.schema.js';
import { textIn } from './prompt-parts.js';
import type { Variables } from '../../../platform/template/filling.js';

type PromptVariable = NonNullable<ApiFields['promptVars']>[number];

/** Returns the variables for a connection's templates: its own values, its prompt variables, and those of the call. */
export function variablesOf(fields: ApiFields, model: string, request: ModelRequest, stream: boolean): Variables {
  const ofCall = callVariables(model, request, stream);
  const ofPrompt = (fields.promptVars ?? [])
    .filter(({ status }) => status !== false)
    .map((variable) => [variable.name, typed(variable, valueOf(variable, ofCall))] as const);
  return { ...connectionVariables(fields), ...ofCall, ...definedMembers(Object.fromEntries(ofPrompt)) };
}

/** Returns the variables that are the same for every call. Headers are filled with them. */
export function connectionVariables(fields: ApiFields): Variables {
  const custom = (fields.customVars ?? []).flatMap((variable) => {
    const name = variable.name ?? variable.key;
    return typeof name === 'string' ? [[name, variable.value ?? variable.defaultValue] as const] : [];
  });
  const { BASE_URL, API_KEY = fields.LLM_API_KEY, LLM_API_URL, LLM_API_KEY, MODEL_NAME } = fields;
  return { ...Object.fromEntries(custom), BASE_URL, API_KEY, LLM_API_URL, LLM_API_KEY, MODEL_NAME };
}

/** Returns the required variables for which the call has no value. */
export function missingVariables(fields: ApiFields, model: string, request: ModelRequest): string[] {
  const given = { ...connectionVariables(fields), ...callVariables(model, request, false) };
  return (fields.promptVars ?? [])
    .filter((variable) => variable.required && variable.status !== false && isEmpty(valueOf(variable, given)))
    .map(({ name }) => name);
}

function callVariables(model: string, request: ModelRequest, stream: boolean): Variables {
  const { prompt, maxOutputTokens, temperature, topP, stopSequences } = request;
  const messages = prompt.map(({ role, content }) => ({ role, content: textIn({ content }) }));
  const lastUser = messages.findLastIndex(({ role }) => role === 'user');
  return definedMembers({
    model,
    stream,
    messages,
    prompt: messages[lastUser]?.content ?? '',
    system: textsOf(messages.filter(({ role }) => role === 'system')),
    history: messages.slice(0, Math.max(lastUser, 0)).filter(({ role }) => role !== 'system'),
    maxTokens: maxOutputTokens,
    temperature,
    topP,
    stop: stopSequences,
  });
}

/** A variable marked for examples has the earlier messages as its value. */
function valueOf({ name, examples, defaultValue }: PromptVariable, ofCall: Variables): unknown {
  const given = examples ? ofCall.history : ofCall[name];
  return isEmpty(given) ? defaultValue : given;
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

function typed({ dataType }: PromptVariable, value: unknown): unknown {
  if (value === undefined) return undefined;
  switch (dataType?.toLowerCase()) {
    case 'string':
      return typeof value === 'string' ? value : JSON.stringify(value);
    case 'number':
    case 'integer':
      return Number(value);
    case 'boolean':
      return value === true || value === 'true';
    default:
      return value;
  }
}

function textsOf(messages: { content: string }[]): string {
  return messages.map(({ content }) => content).join('\n');
}
