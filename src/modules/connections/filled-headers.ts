import { HEADER_VALUE } from '../../platform/outbound/header-rules.js';
import { Filling } from '../../platform/template/template.js';
import type { ApiFields } from './connection-fields.schema.js';
import { connectionVariables } from './protocols/http-variables.js';

interface FilledHeader {
  name: string;
  /** Nothing where it was filled with what no header may have. */
  value: string | undefined;
}

/** The connection's own headers, filled with its own variables: what a call says is in none of them. */
export function filledHeaders(fields: ApiFields): FilledHeader[] {
  const filling = new Filling(connectionVariables(fields));
  return (fields.headers ?? []).map(({ key: name, value }) => ({ name, value: filledValue(value, filling) }));
}

/** A template may fail, or take too long. */
function filledValue(template: string, filling: Filling): string | undefined {
  try {
    const value = filling.text(template);
    return HEADER_VALUE.test(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
