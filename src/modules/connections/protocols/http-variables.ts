import type { ModelRequest } from '../../gateway/gateway.port.js';
import type { ApiFields } from '../connection-fields.schema.js';
import type { Variables } from '../../../platform/template/template.js';

type PromptVariable = NonNullable<ApiFields['promptVars']>[number];

/** What templates of a connection can fill in: its own values, its variables, and what this call says. */
export function variablesOf(fields: ApiFields, model: string, request: ModelRequest, stream: boolean): Variables {
  const ofCall = callVariables(request);
  const ofPrompt = (fields.promptVars ?? [])
    .filter(({ status }) => status !== false)
    .map((variable) => [variable.name, typed(variable, valueOf(variable, ofCall))] as const);
  return { ...connectionVariables(fields), ...ofCall, model, stream, ...Object.fromEntries(ofPrompt) };
}

/** Those that hold for every call: headers are filled with them. */
export function connectionVariables(fields: ApiFields): Variables {
  const custom = (fields.customVars ?? []).flatMap((variable) => {
    const name = variable.name ?? variable.key;
    return typeof name === 'string' ? [[name, variable.value ?? variable.defaultValue] as const] : [];
  });
  const { BASE_URL, API_KEY = fields.LLM_API_KEY, LLM_API_URL, LLM_API_KEY, MODEL_NAME } = fields;
  return { ...Object.fromEntries(custom), BASE_URL, API_KEY, LLM_API_URL, LLM_API_KEY, MODEL_NAME };
}

/** The variables that a call has to give and does not. */
export function missingVariables(fields: ApiFields, request: ModelRequest): string[] {
  const ofCall = callVariables(request);
  return (fields.promptVars ?? [])
    .filter((variable) => variable.required && variable.status !== false && isEmpty(valueOf(variable, ofCall)))
    .map(({ name }) => name);
}

function callVariables({ prompt, maxOutputTokens, temperature, topP, stopSequences }: ModelRequest): Variables {
  const messages = prompt.map(({ role, content }) => ({ role, content: textIn(content) }));
  const lastUser = messages.findLastIndex(({ role }) => role === 'user');
  return {
    messages,
    prompt: messages[lastUser]?.content ?? '',
    system: textsOf(messages.filter(({ role }) => role === 'system')),
    history: messages.slice(0, Math.max(lastUser, 0)).filter(({ role }) => role !== 'system'),
    maxTokens: maxOutputTokens,
    temperature,
    topP,
    stop: stopSequences,
  };
}

/** A variable marked for examples holds what was said before. */
function valueOf({ name, examples, defaultValue }: PromptVariable, ofCall: Variables): unknown {
  const given = examples ? ofCall.history : ofCall[name];
  return isEmpty(given) ? defaultValue : given;
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

function typed({ dataType }: PromptVariable, value: unknown): unknown {
  switch (dataType?.toLowerCase()) {
    case 'string':
      return value === undefined || typeof value === 'string' ? value : JSON.stringify(value);
    case 'number':
    case 'integer':
      return Number(value);
    case 'boolean':
      return value === true || value === 'true';
    default:
      return value;
  }
}

type Content = ModelRequest['prompt'][number]['content'];

function textIn(content: Content): string {
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

function textsOf(messages: { content: string }[]): string {
  return messages.map(({ content }) => content).join('\n');
}
