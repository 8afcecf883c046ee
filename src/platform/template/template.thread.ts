import { Filling, TemplateFailure, type TemplateFault } from './filling.js';
import { type ScopeTexts, variablesOf } from './scope.js';

/** The templates of one request. Each part is optional. */
export interface FillAsk {
  condition?: string | undefined;
  /** Each text in it stays a text. */
  texts?: unknown;
  /** A text in it that is a single `{{ … }}` becomes that value as it is. */
  value?: unknown;
}

export interface FillRequest extends FillAsk {
  scope: ScopeTexts;
  characters: number;
}

/** `value` is JSON. */
export type FillAnswer =
  { holds: boolean; texts: unknown; value: string | undefined } | { fault: TemplateFault; message: string };

/** Fills the templates of one request. */
export default function fill({ condition, texts, value, scope, characters }: FillRequest): FillAnswer {
  try {
    const filling = new Filling(variablesOf(scope), { characters });
    return {
      holds: condition !== undefined && filling.holds(condition),
      texts: filling.texts(texts),
      value: value === undefined ? undefined : JSON.stringify(filling.value(value) ?? null),
    };
  } catch (error) {
    if (!(error instanceof TemplateFailure)) throw error;
    return { fault: error.fault, message: error.message };
  }
}
