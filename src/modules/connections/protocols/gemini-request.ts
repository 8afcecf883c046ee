import { definedMembers } from '../../../kernel/defined-members.js';
import { isJsonObject, parseJson } from '../../../kernel/json.js';
import type { ModelRequest } from '../../gateway/gateway.port.js';
import { signatureIn } from './gemini-answer.js';
import { base64Of, fileParts, outputText } from './prompt-parts.js';

type Message = ModelRequest['prompt'][number];
type Part = Exclude<Message['content'], string>[number];

interface Content {
  role: 'user' | 'model';
  parts: object[];
}

/** Returns the body of `generateContent`. */
export function geminiBody(request: ModelRequest): object {
  const { prompt, tools = [], responseFormat } = request;
  const system = prompt.flatMap(({ role, content }) => (role === 'system' ? [{ text: content }] : []));
  const declarations = tools.flatMap((tool) => {
    if (tool.type !== 'function') return [];
    const { name, description = '', inputSchema: parametersJsonSchema } = tool;
    return [{ name, description, parametersJsonSchema }];
  });
  return {
    ...(system.length > 0 && { systemInstruction: { parts: system } }),
    contents: prompt.reduce(withMessage, []),
    ...(declarations.length > 0 && { tools: [{ functionDeclarations: declarations }], ...toToolConfig(request) }),
    generationConfig: definedMembers({
      maxOutputTokens: request.maxOutputTokens,
      temperature: request.temperature,
      topP: request.topP,
      topK: request.topK,
      stopSequences: request.stopSequences,
      seed: request.seed,
      presencePenalty: request.presencePenalty,
      frequencyPenalty: request.frequencyPenalty,
      ...(responseFormat?.type === 'json' && {
        responseMimeType: 'application/json',
        responseJsonSchema: responseFormat.schema,
      }),
    }),
  };
}

/** Returns why the protocol does not support the request. */
export function unsupportedByGemini({ prompt }: ModelRequest): string | undefined {
  const isAddress = prompt.flatMap(fileParts).some((file) => base64Of(file) === undefined);
  return isAddress ? 'accepts images only as data, and not by an address' : undefined;
}

/** All results of the calls of one answer have to be in one content, so messages of one role are put together. */
function withMessage(contents: Content[], message: Message): Content[] {
  const { role: from, content } = message;
  if (from === 'system') return contents;
  const role = from === 'assistant' ? 'model' : 'user';
  const parts = content.flatMap(toPart);
  const last = contents.at(-1);
  if (parts.length === 0) return contents;
  if (last?.role !== role) return [...contents, { role, parts }];
  return [...contents.slice(0, -1), { role, parts: [...last.parts, ...parts] }];
}

function toPart(part: Part): object[] {
  switch (part.type) {
    case 'text':
      return part.text === '' ? [] : [{ text: part.text }];
    case 'file':
      return [{ inlineData: { mimeType: part.mediaType, data: base64Of(part) } }];
    case 'tool-call': {
      const thoughtSignature = signatureIn(part.toolCallId);
      const functionCall = { name: part.toolName, args: part.input };
      return [{ functionCall, ...(thoughtSignature !== undefined && { thoughtSignature }) }];
    }
    case 'tool-result': {
      const text = outputText(part.output);
      const output = parseJson(text);
      const response = isJsonObject(output) ? output : { result: text };
      return [{ functionResponse: { name: part.toolName, response } }];
    }
    default:
      return [];
  }
}

const MODES = { auto: 'AUTO', none: 'NONE', required: 'ANY', tool: 'ANY' } as const;

function toToolConfig({ toolChoice }: ModelRequest): object {
  if (!toolChoice) return {};
  const allowedFunctionNames = toolChoice.type === 'tool' ? [toolChoice.toolName] : undefined;
  return {
    toolConfig: { functionCallingConfig: definedMembers({ mode: MODES[toolChoice.type], allowedFunctionNames }) },
  };
}
