import { isJsonObject, parseJson } from '../../../kernel/json.js';
import { MOST_VALUES } from '../../../kernel/json-rules.js';
import { storableText } from '../../../kernel/storable-text.js';

/** Reads the JSON in the texts of one request. Together they may have as many values as a body, since they cost as much. */
export class JsonTexts {
  private left = MOST_VALUES;

  /** Undefined where it is no JSON, or where those before it had too much. */
  read(text: string): unknown {
    return this.left > 0 ? this.storable(parseJson(text)) : undefined;
  }

  /** JSON may have as escapes what is refused in the body around it. */
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
