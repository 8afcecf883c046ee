import { type Attributes, SpanKind } from '@opentelemetry/api';

/** The first words of a statement, and the first table that it names. */
const SUMMARY = /^\s*(\w+)(?:[\s\S]*?\b(?:from|into|update|join)\s+"?(\w+))?/i;

/** Texts and numbers. The ORM writes values into its statements, and doubles each quotation mark within a text. */
const VALUES = /(?:\bE)?'[^']*'|(?<![\w$".])\d[\w.]*/g;

/** Describes a statement by its text, in which a question mark is in the place of each value. */
export function statementSpan(text: string): { name: string; kind: SpanKind; attributes: Attributes } {
  const [, operation = 'statement', table] = SUMMARY.exec(text) ?? [];
  const name = [operation.toLowerCase(), table].filter(Boolean).join(' ');
  return {
    name,
    kind: SpanKind.CLIENT,
    attributes: {
      'db.system.name': 'postgresql',
      'db.query.summary': name,
      'db.query.text': text.replace(VALUES, '?'),
    },
  };
}
