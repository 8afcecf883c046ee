import { isJsonObject } from '../../../kernel/json.js';
import type { BodyFormat } from '../../../platform/route/body-format.js';
import { validationError } from '../../../platform/route/validation.js';

const MAX_SPANS = 10_000;

/** Adds a limit on the number of spans to a format. Larger requests are refused before each span is validated. */
export function withSpanLimit(format: BodyFormat): BodyFormat {
  return {
    ...format,
    parse: (bytes) => {
      const request = format.parse(bytes);
      refuseTooMany(request);
      return request;
    },
  };
}

/** Counts only what has the expected shape. The schema refuses everything else afterwards. */
function refuseTooMany(request: unknown): void {
  let found = [request];
  for (const kind of ['resourceSpans', 'scopeSpans', 'spans']) {
    found = found.flatMap((one) => (isJsonObject(one) && Array.isArray(one[kind]) ? (one[kind] as unknown[]) : []));
    if (found.length > MAX_SPANS) throw tooMany(found.length, kind);
  }
}

function tooMany(count: number, kind: string) {
  const message = `has ${count} ${kind}, and the limit of a request is ${MAX_SPANS}; send fewer at a time`;
  return validationError([{ path: ['resourceSpans'], message }]);
}
