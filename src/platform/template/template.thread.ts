import type { JsonText } from '../../kernel/json-text.js';
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

/** The templates of a list. It has the value for each item that meets the condition, or for all without one. */
export interface ListAsk {
  items: JsonText;
  value: unknown;
  condition?: string | undefined;
}

export interface FillRequest extends FillAsk {
  /** The items of a list, as JSON. */
  items?: string | undefined;
  scope: ScopeTexts;
  characters: number;
}

/** `value` is JSON. */
export type FillAnswer =
  { holds: boolean; texts: unknown; value: string | undefined } | { fault: TemplateFault; message: string };

/** Fills the templates of one request. */
export default function fill({ items, scope, characters, ...ask }: FillRequest): FillAnswer {
  try {
    const filling = new Filling(variablesOf(scope), { characters });
    const { condition, texts, value } = ask;
    if (items !== undefined) {
      const list = filling.list(JSON.parse(items) as unknown[], value, condition);
      return { holds: false, texts: undefined, value: JSON.stringify(list) };
    }
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
