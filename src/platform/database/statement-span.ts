import { type Attributes, SpanKind } from '@opentelemetry/api';

/** The first word of a statement, and the first table that it names. */
const SUMMARY = /^\s*(\w+)(?:(?<=update)\s+"?(\w+)|[\s\S]*?\b(?:from|into|update|join)\s+"?(\w+))?/i;

/**
 * Texts and numbers. The ORM writes values into its statements, and doubles each apostrophe within a text. No name of a
 * table or column has an apostrophe.
 */
const VALUES = /(?:\bE)?'(?:[^']|'')*'|(?<![\w$".])\d[\w.]*/g;

/** Describes a statement by its text, in which a question mark is in the place of each value. */
export function statementSpan(text: string): { name: string; kind: SpanKind; attributes: Attributes } {
  const shown = text.replace(VALUES, '?');
  const [, operation = 'statement', updated, table = updated] = SUMMARY.exec(shown) ?? [];
  const name = [operation.toLowerCase(), table].filter(Boolean).join(' ');
  return {
    name,
    kind: SpanKind.CLIENT,
    attributes: {
      'db.system.name': 'postgresql',
      'db.query.summary': name,
      'db.query.text': shown,
    },
  };
}
