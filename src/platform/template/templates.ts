import { Injectable } from '@nestjs/common';
import { JsonText } from '../../kernel/json-text.js';
import { ComputePool } from '../compute/compute-pool.js';
import { type ComputeBudget, ComputeFailure, computeTask, type ComputeOptions } from '../compute/compute-task.js';
import { TemplateFailure } from './filling.js';
import { filledHere } from './plain.js';
import { type Scope, textsOf } from './scope.js';
import type { FillAnswer, FillAsk, FillRequest, ListAsk } from './template.thread.js';

const task = computeTask<FillRequest, FillAnswer>('template', import.meta.url);

/** The limits of all texts that are filled together: processor time, and the length of the output. */
const MAX_MS = 200;
const MAX_CHARACTERS = 1024 * 1024;

export interface TemplateOptions extends Omit<ComputeOptions, 'ms'> {
  readonly characters?: number;
}

/** The templates of one project. */
export interface TemplatesOf {
  texts<T>(texts: T, scope: Scope, budget?: ComputeBudget): Promise<T>;
  value(value: unknown, scope: Scope, characters: number): Promise<JsonText>;
}

/**
 * Fills templates that strangers wrote: plain ones at once, all others in a compute thread, which can be terminated.
 */
@Injectable()
export class Templates {
  constructor(private readonly compute: ComputePool) {}

  of(projectId: string, more: Omit<TemplateOptions, 'projectId'> = {}): TemplatesOf {
    return {
      texts: (texts, scope, budget) => this.texts(texts, scope, { ...more, projectId, budget }),
      value: (value, scope, characters) => this.value(value, scope, { ...more, projectId, characters }),
    };
  }

  /** Fills a value. Throws a TemplateFailure, or a ComputeFailure if the budget is spent. */
  async value(value: unknown, scope: Scope, options: TemplateOptions): Promise<JsonText> {
    return (await this.fill({ value }, scope, options)).value!;
  }

  /** Fills texts, which stay texts. Throws as `value` does. */
  async texts<T>(texts: T, scope: Scope, options: TemplateOptions): Promise<T> {
    return (await this.fill({ texts }, scope, options)).texts as T;
  }

  /** Evaluates a condition. Throws as `value` does. */
  async holds(condition: string, scope: Scope, options: TemplateOptions): Promise<boolean> {
    return (await this.fill({ condition }, scope, options)).holds;
  }

  /** Fills a value for each item of a list. Throws as `value` does. */
  async list({ items, ...ask }: ListAsk, scope: Scope, options: TemplateOptions): Promise<JsonText> {
    return (await this.inThread({ ...ask, items: items.text }, scope, options)).value!;
  }

  /** Fills a condition, texts that stay texts and a value, which share their limits. */
  async fill(ask: FillAsk, scope: Scope, options: TemplateOptions) {
    const begun = performance.now();
    const here = filledHere(ask, scope);
    options.budget?.take(performance.now() - begun);
    if (here) return { ...here, value: here.value === undefined ? undefined : JsonText.of(here.value) };
    return this.inThread(ask, scope, options);
  }

  private async inThread(
    ask: Omit<FillRequest, 'scope' | 'characters'>,
    scope: Scope,
    { characters = MAX_CHARACTERS, ...options }: TemplateOptions,
  ) {
    const request = { ...ask, scope: textsOf(scope), characters };
    const answer = await this.compute.run(task, request, { ...options, ms: MAX_MS }).catch((error: unknown) => {
      if (!(error instanceof ComputeFailure) || error.fault === 'budget') throw error;
      throw new TemplateFailure(error.fault === 'time' ? 'time' : 'size', error);
    });
    if ('fault' in answer) throw new TemplateFailure(answer.fault, answer.message);
    return { ...answer, value: answer.value === undefined ? undefined : JsonText.parsed(answer.value) };
  }
}
