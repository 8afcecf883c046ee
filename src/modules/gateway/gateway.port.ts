import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { Id } from '../../kernel/ids.js';
import { Mark } from '../../platform/extension/mark.js';

/** The interface of all protocols: how a model of any provider is called. */
export type ModelProtocol = LanguageModelV4;
export type ModelRequest = Parameters<ModelProtocol['doGenerate']>[0];
export type ModelResult = Awaited<ReturnType<ModelProtocol['doGenerate']>>;
export type ModelStream = Awaited<ReturnType<ModelProtocol['doStream']>>['stream'];
export type ModelPart = ModelStream extends ReadableStream<infer Part> ? Part : never;
export type ModelUsage = ModelResult['usage'];
export type FinishReason = ModelResult['finishReason']['unified'];

/** The name and id of the built-in model. */
export const MOCK = 'mock';

/** The prompt for a model that performs a task on a text without any other context. */
export function taskPrompt(task: string, text: string): ModelRequest['prompt'] {
  return [
    { role: 'system', content: task },
    { role: 'user', content: [{ type: 'text', text }] },
  ];
}

type ProviderOptions = NonNullable<ModelRequest['providerOptions']>;

/** Sets the option that forbids parallel tool calls. Each protocol has its own name for it. */
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
  /** The name under which it is called. */
  readonly id: string;
  readonly provider: string;
  readonly createdAt: Date;
}

export interface CallableModel extends ListedModel {
  /** The name of the model at its provider. */
  readonly name: string;
  readonly protocol: ModelProtocol;
  /** Returns why the model does not support the request, for people; undefined if it does. */
  refusalOf(request: ModelRequest): string | undefined;
}

/** Thrown by a protocol whose model does not support the request. It is not a failure of the provider. */
export class UnsupportedRequest extends Error {
  constructor(
    /** Says what the model cannot do, as the predicate of a sentence. */
    readonly reason: string,
    cause?: unknown,
  ) {
    super(reason, { cause });
    this.name = 'UnsupportedRequest';
  }
}

/** A source of models: connections, models that are deployed here, and the mock. */
export abstract class ModelTarget {
  /** Returns the project's model of this name, or null if there is none. Throws an error if it cannot be called now. */
  abstract find(projectId: Id<'project'>, named: string): Promise<CallableModel | null>;
  /** Returns the models that can be called. */
  abstract list(projectId: Id<'project'>): Promise<ListedModel[]>;
}

export const modelTargets = new Mark<ModelTarget>([ModelTarget], 'provide models');

/** Marks a class that extends ModelTarget. The gateway finds it. */
export function ProvidesModels(): ClassDecorator {
  return modelTargets.marks(true);
}
