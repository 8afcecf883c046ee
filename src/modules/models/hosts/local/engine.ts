import type * as Llama from 'node-llama-cpp';
import { shortened } from '../../../../kernel/shortened.js';
import { EngineFault } from './engine-fault.js';
import type { CalledTool, GenerateEnd, GenerateLine, GenerateRequest } from '../replica-calls.js';
import type { ServeMessage } from './replica-messages.js';
import { OutputText } from './output-text.js';
import { Pool } from './pool.js';

/** With fewer tokens, the engine's own templates fail. */
const FEWEST_CONTEXT_TOKENS = 256;

type LlamaModule = typeof Llama;

/** One model in memory, which answers as many calls at a time as it has sequences. Only the child process has one. */
export class Engine {
  private constructor(
    private readonly llama: Llama.Llama,
    private readonly model: Llama.LlamaModel,
    readonly chats: Pool<Llama.LlamaChat>,
    private readonly contextTokens: number,
  ) {}

  /** @param onWeights is awaited before the chat template runs */
  static async load(order: ServeMessage, onWeights: () => Promise<void>): Promise<Engine> {
    const logged: string[] = [];
    const { module, llama } = await startLlama(order.threads, logged);
    try {
      const model = await llama.loadModel({ modelPath: order.modelPath, useMmap: false });
      const contextTokens = Math.max(
        FEWEST_CONTEXT_TOKENS,
        Math.min(order.contextTokens, model.trainContextSize || order.contextTokens),
      );
      const context = await model.createContext({
        contextSize: contextTokens,
        sequences: order.sequences,
        threads: order.threads,
        ...(order.adapterPath !== null && { lora: order.adapterPath }),
      });
      await onWeights();
      const chatWrapper = module.resolveChatWrapper(model);
      const chats = Array.from({ length: order.sequences }, () => {
        return new module.LlamaChat({ contextSequence: context.getSequence(), chatWrapper });
      });
      return new Engine(llama, model, new Pool(chats), contextTokens);
    } catch {
      // The library's error has paths of this machine in it, so it is not shown.
      throw new EngineFault('MODEL_NOT_LOADED', `The engine cannot load the model${reasonIn(logged)}.`);
    }
  }

  answer(request: GenerateRequest, signal: AbortSignal, onLine: (line: GenerateLine) => void): Promise<GenerateEnd> {
    return this.chats.use(signal, (chat) => this.generate(chat, request, signal, onLine));
  }

  private async generate(
    chat: Llama.LlamaChat,
    request: GenerateRequest,
    signal: AbortSignal,
    onLine: (line: GenerateLine) => void,
  ): Promise<GenerateEnd> {
    const history = historyOf(request);
    const functions = functionsOf(request);
    const state = {
      chatHistory: history,
      ...(functions && { availableFunctions: functions, documentFunctionParams: true }),
    };
    const { contextText } = chat.chatWrapper.generateContextState(state);
    const inputTokens = contextText.tokenize(this.model.tokenizer).length;
    const room = this.contextTokens - inputTokens;
    if (room < 1) {
      throw new EngineFault(
        'PROMPT_TOO_LONG',
        `was deployed with room for ${this.contextTokens} tokens, and the prompt has ${inputTokens}`,
      );
    }
    const { sequence } = chat;
    const before = sequence.tokenMeter.getState();
    const grammar = await this.grammarOf(request);
    const output = new OutputText(onLine);
    const { metadata, functionCalls = [] } = await chat.generateResponse(history, {
      ...(functions ? { functions, documentFunctionParams: true } : grammar && { grammar }),
      temperature: request.temperature,
      topP: request.topP,
      topK: request.topK,
      maxTokens: Math.min(request.maxTokens ?? room, room),
      customStopTriggers: request.stop,
      ...(request.seed !== null && { seed: request.seed }),
      onTextChunk: (text) => output.add(text),
      signal,
    });
    output.end(metadata.stopReason === 'customStopTrigger');
    for (const { functionName, params } of functionCalls) onLine({ call: { name: functionName, input: params } });
    const used = sequence.tokenMeter.diff(before);
    return {
      reason: functionCalls.length > 0 ? 'tool-calls' : metadata.stopReason === 'maxTokens' ? 'length' : 'stop',
      inputTokens,
      cachedTokens: Math.max(0, inputTokens - used.usedInputTokens),
      outputTokens: used.usedOutputTokens,
    };
  }

  private async grammarOf({ json }: GenerateRequest): Promise<Llama.LlamaGrammar | undefined> {
    if (json === null) return undefined;
    if (json === true) return this.llama.getGrammarFor('json');
    try {
      return await this.llama.createGrammarForJsonSchema(json as never);
    } catch {
      throw new EngineFault('SCHEMA_NOT_TAKEN', 'does not support this JSON schema');
    }
  }
}

async function startLlama(threads: number, logged: string[]): Promise<{ module: LlamaModule; llama: Llama.Llama }> {
  try {
    const module = await import('node-llama-cpp');
    const llama = await module.getLlama({
      build: 'never',
      gpu: 'auto',
      skipDownload: true,
      maxThreads: threads,
      logLevel: module.LlamaLogLevel.error,
      logger: (_level, message) => void logged.push(message.trim()),
    });
    return { module, llama };
  } catch (error) {
    const [reason = ''] = error instanceof Error ? error.message.split('\n') : [];
    throw new EngineFault('ENGINE_MISSING', `node-llama-cpp does not start on this machine: ${withoutPaths(reason)}`);
  }
}

/** Adds an empty item for the answer. After results of tools, the model continues the item that called the tools. */
function historyOf({ messages }: GenerateRequest): Llama.ChatHistoryItem[] {
  const history = messages.map((message): Llama.ChatHistoryItem => {
    if (message.role !== 'model') return { type: message.role, text: message.text };
    return { type: 'model', response: message.parts.map((part) => (typeof part === 'string' ? part : toCall(part))) };
  });
  const last = messages.at(-1);
  const isContinued = last?.role === 'model' && typeof last.parts.at(-1) === 'object';
  return isContinued ? history : [...history, { type: 'model', response: [] }];
}

function toCall({ name, input, result }: CalledTool): Llama.ChatModelFunctionCall {
  return { type: 'functionCall', name, params: input, result };
}

function functionsOf({ tools }: GenerateRequest): Llama.ChatModelFunctions | undefined {
  if (tools.length === 0) return undefined;
  return Object.fromEntries(
    tools.map(({ name, description, inputSchema }) => [name, { description, params: inputSchema as never }]),
  );
}

function reasonIn(logged: string[]): string {
  const reason = logged.find((line) => line !== '');
  return reason === undefined ? '' : `: ${shortened(withoutPaths(reason), 200)}`;
}

function withoutPaths(text: string): string {
  return text.replace(/['"]?(\/[\w.@-]+){2,}\/?['"]?/g, '(a file)');
}
