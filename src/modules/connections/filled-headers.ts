import { ComputeBudget, ComputeFailure } from '../../platform/compute/compute-task.js';
import { HEADER_VALUE } from '../../platform/outbound/header-rules.js';
import { TemplateFailure } from '../../platform/template/filling.js';
import { scopeOf } from '../../platform/template/scope.js';
import type { Issue } from '../../platform/route/validation.js';
import type { TemplatesOf } from '../../platform/template/templates.js';
import type { ApiFields } from './connection-fields.schema.js';
import { connectionVariables } from './protocols/http-variables.js';

interface FilledHeader {
  name: string;
  /** Undefined if its template failed, or was filled with characters that no header may have. */
  value: string | undefined;
}

const NO_HEADER =
  'gets characters from the variables that headers cannot have, or its template fails or takes too long';

/** The time for all headers of a connection together. */
const FILL_MS = 200;

/** Fills the connection's headers with the connection's own variables. Those of a call are not available in them. */
export async function filledHeaders(fields: ApiFields, templates: TemplatesOf): Promise<FilledHeader[]> {
  const headers = fields.headers ?? [];
  const scope = scopeOf(connectionVariables(fields));
  const budget = new ComputeBudget(FILL_MS);
  const fill = async (texts: readonly string[]): Promise<(string | undefined)[] | undefined> => {
    try {
      const filled = await templates.texts(texts, scope, budget);
      return filled.map((value) => (HEADER_VALUE.test(value) ? value : undefined));
    } catch (error) {
      if (error instanceof TemplateFailure || error instanceof ComputeFailure) return undefined;
      throw error;
    }
  };
  const all = await fill(headers.map(({ value }) => value));
  // If a template failed, each is filled on its own to find which one.
  const filled: FilledHeader[] = [];
  for (const [at, { key: name, value }] of headers.entries()) {
    filled.push({ name, value: all ? all[at] : (await fill([value]))?.[0] });
  }
  return filled;
}

/** Returns the headers that cannot be sent as the variables fill them. */
export async function badHeaders(fields: ApiFields, templates: TemplatesOf): Promise<Issue[]> {
  return (await filledHeaders(fields, templates)).flatMap(({ value }, at) => {
    return value === undefined ? [{ path: ['headers', at, 'value'], message: NO_HEADER }] : [];
  });
}
