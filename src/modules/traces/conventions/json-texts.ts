import { isJsonObject, parseJson } from '../../../kernel/json.js';
import { MOST_VALUES } from '../../../kernel/json-rules.js';
import { storableText } from '../../../kernel/storable-text.js';

/**
 * Reads JSON in the texts of one request. Together the texts may have as many values as a body may, because a value in
 * them costs as much time and memory as one in a body.
 */
export class JsonTexts {
  private left = MOST_VALUES;

  /** Returns undefined if the text is not JSON, or if the texts before it used up the limit. */
  read(text: string): unknown {
    return this.left > 0 ? this.storable(parseJson(text)) : undefined;
  }

  /** Escapes in the JSON may denote characters that cannot be stored, and that a check of the body does not see. */
  private storable(value: unknown): unknown {
    this.left -= typeof value === 'object' ? 2 : 1;
    if (typeof value === 'string') return storableText(value);
    if (Array.isArray(value)) return value.map((member) => this.storable(member));
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [storableText(name), this.storable(member)]),
    );
  }
}
