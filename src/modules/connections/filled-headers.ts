import { HEADER_VALUE } from '../../platform/outbound/header-rules.js';
import { fillToText, type Variables } from '../../platform/template/template.js';
import type { ApiFields } from './connection-fields.schema.js';
import { connectionVariables } from './protocols/http-variables.js';

interface FilledHeader {
  name: string;
  /** Nothing where it was filled with what no header may have. */
  value: string | undefined;
}

/** The connection's own headers, filled with its own variables: what a call says is in none of them. */
export function filledHeaders(fields: ApiFields): Promise<FilledHeader[]> {
  const variables = connectionVariables(fields);
  const filled = (fields.headers ?? []).map(async ({ key: name, value }) => {
    return { name, value: await filledValue(value, variables) };
  });
  return Promise.all(filled);
}

/** A template may fail, or take too long. */
async function filledValue(template: string, variables: Variables): Promise<string | undefined> {
  const value = await fillToText(template, variables).catch(() => undefined);
  return value !== undefined && HEADER_VALUE.test(value) ? value : undefined;
}
