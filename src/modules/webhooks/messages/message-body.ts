import { isJsonObject } from '../../../kernel/json.js';
import { memberAsWritten } from '../../../kernel/json-outline.js';
import { type BodyFormat, jsonBody } from '../../../platform/route/body-format.js';

const MAX_MIB = 1;
const json = jsonBody(MAX_MIB);

/** How metadata were written, by what they were parsed to: they live as long as that does. */
const written = new WeakMap<object, string>();

/** JSON whose `metadata` stay known as they were written, since parsing loses digits, blanks and repeated members. */
export const messageBody: BodyFormat = {
  ...json,
  parse(bytes) {
    const body = json.parse(bytes);
    const metadata = isJsonObject(body) ? body.metadata : undefined;
    if (isJsonObject(metadata)) written.set(metadata, memberAsWritten(bytes.toString(), 'metadata')!);
    return body;
  },
};

export function asWritten(metadata: object): string {
  const text = written.get(metadata);
  if (text === undefined) throw new Error('Metadata are read through messageBody alone');
  return text;
}
