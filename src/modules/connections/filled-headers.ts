import { ComputeBudget, ComputeFailure } from '../../platform/compute/compute-task.js';
import { HEADER_VALUE } from '../../platform/outbound/header-rules.js';
import { TemplateFailure } from '../../platform/template/filling.js';
import { scopeOf } from '../../platform/template/scope.js';
import type { TemplatesOf } from '../../platform/template/templates.js';
import type { ApiFields } from './connection-fields.schema.js';
import { connectionVariables } from './protocols/http-variables.js';

interface FilledHeader {
  name: string;
  /** Nothing where it was filled with what no header may have. */
  value: string | undefined;
}

/** Of all headers of a connection together. */
const FILL_MS = 200;

/** The connection's own headers, filled with its own variables: what a call says is in none of them. */
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
  // Where one of them fails, it is one by one that it is found.
  const filled: FilledHeader[] = [];
  for (const [at, { key: name, value }] of headers.entries()) {
    filled.push({ name, value: all ? all[at] : (await fill([value]))?.[0] });
  }
  return filled;
}
