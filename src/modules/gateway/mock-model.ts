import { clock } from '../../kernel/clock.js';
import type { Id } from '../../kernel/ids.js';
import { Settings } from '../../platform/config/settings.js';
import {
  type CallableModel,
  type ListedModel,
  MOCK,
  type ModelPart,
  type ModelRequest,
  type ModelResult,
  ModelTarget,
  ProvidesModels,
} from './gateway.port.js';
import { valueFor } from './schema-value.js';

const CHARACTERS_PER_TOKEN = 4;
const MADE_AT = clock.now();

type Content = ModelResult['content'][number];
type Tool = Extract<NonNullable<ModelRequest['tools']>[number], { type: 'function' }>;

/**
 * The built-in model, which needs no provider. Its answer to a request is always the same and says that it is a mock.
 * It calls a tool if it has to or if the user names one, and its answers follow the schema of the request.
 */
@ProvidesModels()
export class MockModels extends ModelTarget {
  constructor(private readonly settings: Settings) {
    super();
  }

  async find(_projectId: Id<'project'>, named: string): Promise<CallableModel | null> {
    return this.models.find(({ name }) => name === named) ?? null;
  }

  async list(): Promise<ListedModel[]> {
    return this.models;
  }

  private get models(): CallableModel[] {
    return this.settings.MODEL_MOCK === 'on' ? [MOCK_MODEL] : [];
  }
}

const MOCK_MODEL: CallableModel = {
  id: MOCK,
  name: MOCK,
  provider: MOCK,
  createdAt: MADE_AT,
  refusalOf,
  protocol: {
    specificationVersion: 'v4',
    provider: MOCK,
    modelId: MOCK,
    supportedUrls: {},
    doGenerate: async (request) => answerTo(request),
    doStream: async (request) => ({ stream: ReadableStream.from(streamOf(answerTo(request))) }),
  },
};

function answerTo(request: ModelRequest): ModelResult {
  const tool = toolToCall(request);
  const content = tool ? callOf(tool, request) : textFor(request);
  const isCut = content.type === 'text' && content.text.length < fullTextFor(request).length;
  const reason = tool ? 'tool-calls' : isCut ? 'length' : 'stop';
  return {
    content: [content],
    finishReason: { unified: reason, raw: reason },
    usage: usageOf(lengthOf(request.prompt), content),
    warnings: [],
  };
}

function textFor(request: ModelRequest): Content {
  const maxLength = (request.maxOutputTokens ?? Infinity) * CHARACTERS_PER_TOKEN;
  return { type: 'text', text: fullTextFor(request).slice(0, maxLength) };
}

function fullTextFor(request: ModelRequest): string {
  const { responseFormat } = request;
  const text = plainTextFor(request);
  if (responseFormat?.type !== 'json') return text;
  const { schema } = responseFormat;
  return JSON.stringify(schema ? valueFor(schema, text).value : { mock: text });
}

function plainTextFor({ prompt }: ModelRequest): string {
  const text = lastText(prompt);
  return prompt.at(-1)?.role === 'tool' ? `[mock] The tool answered: ${text}` : `[mock] You said: ${text}`;
}

/** Refuses a schema that the answer could violate, because the user would look for the fault in the client. */
function refusalOf(request: ModelRequest): string | undefined {
  const { responseFormat } = request;
  if (responseFormat?.type !== 'json' || !responseFormat.schema) return undefined;
  const { unmet } = valueFor(responseFormat.schema, plainTextFor(request));
  return unmet.length > 0
    ? `is a mock, which cannot invent an answer that follows the schema in ${unmet.join(', ')}`
    : undefined;
}

/** Returns the tool to call, or undefined. After the result of a tool, the mock answers with text. */
function toolToCall({ prompt, tools = [], toolChoice = { type: 'auto' } }: ModelRequest): Tool | undefined {
  const callable = tools.filter((tool): tool is Tool => tool.type === 'function');
  if (toolChoice.type === 'none' || prompt.at(-1)?.role === 'tool') return undefined;
  if (toolChoice.type === 'tool') return callable.find(({ name }) => name === toolChoice.toolName);
  const named = callable.find(({ name }) => lastText(prompt).includes(name));
  return toolChoice.type === 'required' ? (named ?? callable[0]) : named;
}

function callOf({ name, inputSchema }: Tool, { prompt }: ModelRequest): Content {
  const input = JSON.stringify(valueFor(inputSchema, lastText(prompt)).value);
  return { type: 'tool-call', toolCallId: `call_mock_${prompt.length}`, toolName: name, input };
}

function lastText(prompt: ModelRequest['prompt']): string {
  const content = prompt.at(-1)?.content ?? '';
  if (typeof content === 'string') return content;
  return content
    .map((part) => {
      if (part.type === 'text') return part.text;
      if (part.type !== 'tool-result' || !('value' in part.output)) return '';
      return typeof part.output.value === 'string' ? part.output.value : JSON.stringify(part.output.value);
    })
    .filter(Boolean)
    .join(' ');
}

/** Counts the characters of a prompt. Writing a large one as JSON would take long. */
function lengthOf(prompt: ModelRequest['prompt']): number {
  let length = 0;
  for (const { content } of prompt) {
    if (typeof content === 'string') length += content.length;
    else for (const part of content) length += part.type === 'text' ? part.text.length : JSON.stringify(part).length;
  }
  return length;
}

function usageOf(promptLength: number, answer: Content): ModelResult['usage'] {
  const text = answer.type === 'text' ? answer.text : answer.type === 'tool-call' ? answer.input : '';
  const input = Math.ceil(promptLength / CHARACTERS_PER_TOKEN);
  const output = Math.ceil(text.length / CHARACTERS_PER_TOKEN);
  return {
    inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: output, text: output, reasoning: 0 },
  };
}

/** Streams the answer word by word. */
function* streamOf({ content: [answer], finishReason, usage }: ModelResult): Generator<ModelPart> {
  yield { type: 'stream-start', warnings: [] };
  if (answer?.type === 'text') {
    yield { type: 'text-start', id: '0' };
    for (const delta of answer.text.match(/\S+\s*|\s+/g) ?? []) yield { type: 'text-delta', id: '0', delta };
    yield { type: 'text-end', id: '0' };
  } else if (answer?.type === 'tool-call') {
    const { toolCallId: id, toolName, input } = answer;
    yield { type: 'tool-input-start', id, toolName };
    yield { type: 'tool-input-delta', id, delta: input };
    yield { type: 'tool-input-end', id };
    yield answer;
  }
  yield { type: 'finish', finishReason, usage };
}
