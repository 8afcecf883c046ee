import type { LanguageModel } from 'ai';
import type { Id } from '../../kernel/ids.js';
import { Mark } from '../../platform/extension/mark.js';

/** How a model is spoken to, whoever provides it. A protocol is one implementation of this. */
export type ModelProtocol = Extract<LanguageModel, { specificationVersion: 'v4' }>;
export type ModelRequest = Parameters<ModelProtocol['doGenerate']>[0];
export type ModelResult = Awaited<ReturnType<ModelProtocol['doGenerate']>>;
export type ModelStream = Awaited<ReturnType<ModelProtocol['doStream']>>['stream'];
export type ModelPart = ModelStream extends ReadableStream<infer Part> ? Part : never;
export type ModelUsage = ModelResult['usage'];
export type FinishReason = ModelResult['finishReason']['unified'];

/** What calls name the built-in model by. */
export const MOCK = 'mock';

/** Of a model that is to do something with a text, and knows nothing else. */
export function taskPrompt(task: string, text: string): ModelRequest['prompt'] {
  return [
    { role: 'system', content: task },
    { role: 'user', content: [{ type: 'text', text }] },
  ];
}

type ProviderOptions = NonNullable<ModelRequest['providerOptions']>;

/** One tool at a time: protocols have names of their own for that. */
export function oneToolAtATime({ openai, azure, anthropic, ...others }: ProviderOptions = {}): ProviderOptions {
  return {
    ...others,
    openai: { ...openai, parallelToolCalls: false },
    azure: { ...azure, parallelToolCalls: false },
    anthropic: { ...anthropic, disableParallelToolUse: true },
  };
}

/** A model as lists show it. */
export interface ListedModel {
  /** What calls name it by. */
  readonly id: string;
  readonly provider: string;
  readonly createdAt: Date;
}

export interface CallableModel extends ListedModel {
  /** As its provider calls it. */
  readonly name: string;
  readonly protocol: ModelProtocol;
  /** Why it cannot take this request, for people; nothing when it can. */
  refusalOf(request: ModelRequest): string | undefined;
}

/** Thrown by a protocol whose model cannot take what is asked; no fault of the provider's. */
export class RequestNotTaken extends Error {
  constructor(
    /** What the model cannot do, as the middle of a sentence. */
    readonly reason: string,
    cause?: unknown,
  ) {
    super(reason, { cause });
    this.name = 'RequestNotTaken';
  }
}

/** Something that has models to call: connections, models that are deployed here, the mock. */
export abstract class ModelTarget {
  /** The model of the project that is meant, or nothing. Refuses where it is there and cannot be called. */
  abstract find(projectId: Id<'project'>, named: string): Promise<CallableModel | null>;
  /** Those that can be called. */
  abstract list(projectId: Id<'project'>): Promise<ListedModel[]>;
}

export const modelTargets = new Mark<ModelTarget>('provide models');

/** Marks a provider that implements ModelTarget. The gateway finds it. */
export function ProvidesModels(): ClassDecorator {
  return modelTargets.marks(true);
}
