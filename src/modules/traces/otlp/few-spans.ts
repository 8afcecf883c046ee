import { isJsonObject } from '../../../kernel/json.js';
import type { BodyFormat } from '../../../platform/route/body-format.js';
import { validationError } from '../../../platform/route/validation.js';

const MOST_AT_ONCE = 10_000;

/** The format, for requests of so many spans as are taken at once: others are refused before anything looks at each. */
export function ofFewSpans(format: BodyFormat): BodyFormat {
  return {
    ...format,
    parse: (bytes) => {
      const request = format.parse(bytes);
      refuseTooMany(request);
      return request;
    },
  };
}

/** What is no list, or nothing that could have one, is for the schema to refuse. */
function refuseTooMany(request: unknown): void {
  let found = [request];
  for (const kind of ['resourceSpans', 'scopeSpans', 'spans']) {
    found = found.flatMap((one) => (isJsonObject(one) && Array.isArray(one[kind]) ? (one[kind] as unknown[]) : []));
    if (found.length > MOST_AT_ONCE) throw tooMany(found.length, kind);
  }
}

function tooMany(count: number, kind: string) {
  const message = `has ${count} ${kind}, and a request may have ${MOST_AT_ONCE}; send fewer at a time`;
  return validationError([{ path: ['resourceSpans'], message }]);
}
