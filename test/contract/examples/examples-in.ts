import type { Media, OpenApiReader, Schema } from '../../support/open-api.js';

interface Example {
  at: string;
  schema: Schema;
  value: unknown;
}

/** Returns every example of the document: of bodies, answers and parameters, and of every part of a schema. */
export function examplesIn(reader: OpenApiReader): Example[] {
  return walk(reader, reader.document, '#');
}

function walk(reader: OpenApiReader, part: unknown, at: string): Example[] {
  if (typeof part !== 'object' || part === null) return [];
  // A map from names to parts is not a part itself, even if one of the names is `example`.
  const isNamed = /\/(properties|examples|schemas|responses|headers)$/.test(at);
  const here = isNamed ? [] : isMedia(part) ? beside(reader, part, at) : own(part, at);
  // The content of an example is a value and no part of the document.
  const parts = Object.entries(part).filter(([name]) => isNamed || !['example', 'examples'].includes(name));
  return [...here, ...parts.flatMap(([name, inner]) => walk(reader, inner, `${at}/${name}`))];
}

/** Returns the examples of a media type or a parameter, which has its schema beside them. */
function beside(reader: OpenApiReader, { schema, ...examples }: Media, at: string): Example[] {
  return reader.examples(examples).map((value) => ({ at, schema: schema!, value }));
}

function own(schema: Schema, at: string): Example[] {
  const { example, examples } = schema;
  const values = [...(example === undefined ? [] : [example]), ...(Array.isArray(examples) ? examples : [])];
  return values.map((value) => ({ at, schema, value }));
}

function isMedia(part: object): part is Media {
  return 'schema' in part && typeof part.schema === 'object';
}
