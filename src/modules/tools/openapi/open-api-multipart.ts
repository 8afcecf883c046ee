import { isJsonObject } from '../../../kernel/json.js';
import { MEDIA_TYPE } from '../../../platform/outbound/header-rules.js';
import type { Body } from './open-api-body.js';
import { type JsonObject, type OpenApiDocument, Unsupported } from './open-api-document.js';

/** Limits how deeply the schemas of a form are joined. Valid documents have two or three levels. */
const MAX_LEVELS = 10;
const TEXT_TYPE = /^(text\/|application\/([\w.+-]+\+)?(json|xml)\b)/i;
const WAYS_TO_GIVE_A_FILE = 'Either `fileId`, the id of an uploaded file, or `base64`, or `text` with the content.';

interface Form {
  members: Map<string, unknown>;
  required: Set<string>;
  isClosed: boolean;
}

/**
 * Returns the body of a form with several parts. Its schemas are joined into one that lists all members, because each
 * member has to be known as a file or as a field.
 */
export function multipartOf(
  media: unknown,
  described: JsonObject,
  document: OpenApiDocument,
): { body: Body; hasFiles: boolean } {
  const { schema = {}, encoding } = isJsonObject(media) ? media : ({} as JsonObject);
  const whole = document.follow(schema);
  if (!isJsonObject(whole) || !['object', undefined].includes(whole.type as string | undefined))
    throw new Unsupported('needs a form whose schema is not that of an object');
  const form = formOf(whole, document);
  const encodings = isJsonObject(encoding) ? encoding : {};
  const files: string[] = [];
  const types: [string, string][] = [];
  const properties = [...form.members].map(([name, at]): [string, unknown] => {
    const { contentType, isBytes, neededHeaders } = encodingOf(encodings, name);
    if (neededHeaders[0]) throw new Unsupported(`needs the header ${neededHeaders[0]} in a part of its form`);
    const member = document.follow(at);
    const items = isJsonObject(member) && member.type === 'array' ? document.follow(member.items ?? {}) : undefined;
    const isBinary = (each: unknown) => isJsonObject(each) && (isFile(each) || isOther(each, isBytes));
    if (contentType !== undefined) types.push([name, contentType]);
    if (!isBinary(member) && !isBinary(items)) {
      refuseInner(name, items ?? member, document);
      return [name, at];
    }
    files.push(name);
    const { description } = member as JsonObject;
    const file = fileSchema(description);
    return [name, isBinary(items) ? { type: 'array', items: file } : file];
  });
  const required = [...form.required].filter((name) => form.members.has(name));
  const joined = {
    type: 'object',
    ...(typeof whole.description === 'string' ? { description: whole.description } : described),
    ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
    ...(required.length > 0 && { required }),
    ...(form.isClosed && { additionalProperties: false }),
  };
  const multipart = {
    fields: '{{ input.body }}',
    ...(files.length > 0 && { files }),
    ...(types.length > 0 && { types: Object.fromEntries(types) }),
  };
  return { body: { schema: joined, node: { multipart }, headers: {} }, hasFiles: files.length > 0 };
}

/** Whether a schema stands for bytes: in OpenAPI 3.0 by its format, and in 3.1 by its media type without an encoding. */
export function isFile({ type, format, contentMediaType, contentEncoding }: JsonObject): boolean {
  if (type === 'file') return true;
  if (![type].flat().includes('string') && type !== undefined) return false;
  if (format === 'binary') return true;
  return typeof contentMediaType === 'string' && contentEncoding === undefined && !TEXT_TYPE.test(contentMediaType);
}

/** The schema of a file in the input. The node checks that one of its members has the content. */
export function fileSchema(description: unknown): JsonObject {
  const text = { type: 'string' };
  return {
    type: 'object',
    description:
      typeof description === 'string' && description !== ''
        ? `${description}\n\n${WAYS_TO_GIVE_A_FILE}`
        : WAYS_TO_GIVE_A_FILE,
    properties: { fileId: text, base64: text, text, name: text, contentType: text },
    additionalProperties: false,
  };
}

/** Whether the form says that a member has a format that is no text. */
function isOther({ type, properties, format, contentEncoding }: JsonObject, isBytes: boolean): boolean {
  const isPlain = format === undefined && contentEncoding === undefined && properties === undefined;
  return isBytes && isPlain && ['string', undefined].includes(type as string | undefined);
}

interface Encoding {
  /** The media type, if the form names exactly one. */
  contentType: string | undefined;
  isBytes: boolean;
  neededHeaders: string[];
}

function encodingOf(encodings: JsonObject, name: string): Encoding {
  const encoding = Object.hasOwn(encodings, name) ? encodings[name] : undefined;
  const { contentType, headers } = isJsonObject(encoding) ? encoding : ({} as JsonObject);
  const given =
    typeof contentType === 'string' && MEDIA_TYPE.test(contentType.split(',')[0]!) ? contentType : undefined;
  const all = isJsonObject(headers) ? Object.entries(headers) : [];
  const needed = all.filter(([, header]) => isJsonObject(header) && header.required === true).map(([each]) => each);
  return {
    contentType: given === undefined || /[*,]/.test(given) ? undefined : given,
    isBytes: given !== undefined && !TEXT_TYPE.test(given),
    neededHeaders: needed.filter((header) => header.toLowerCase() !== 'content-type'),
  };
}

/** A file inside of a member that is sent as JSON would not arrive as one. */
function refuseInner(name: string, schema: unknown, document: OpenApiDocument): void {
  const { members } = formOf(schema, document);
  for (const member of members.values()) {
    const followed = document.follow(member);
    if (isJsonObject(followed) && isFile(followed))
      throw new Unsupported(`has a file inside of the member ${name} of its form`);
  }
}

/** Collects the members of a schema and of those that it is made of. Only what all of them need is required. */
function formOf(schema: unknown, document: OpenApiDocument): Form {
  const form: Form = { members: new Map(), required: new Set(), isClosed: false };
  // Schemas may contain themselves.
  const seen = new Set<object>();
  const collect = (at: unknown, isNeeded: boolean, level: number): void => {
    const followed = document.follow(at);
    if (!isJsonObject(followed) || level > MAX_LEVELS || seen.has(followed)) return;
    seen.add(followed);
    const { properties, required, additionalProperties, allOf, anyOf, oneOf } = followed;
    for (const [name, member] of isJsonObject(properties) ? Object.entries(properties) : []) {
      if (!isAnsweredOnly(member, document) && !form.members.has(name)) form.members.set(name, member);
    }
    if (isNeeded) for (const name of listOf(required)) form.required.add(name as string);
    if (level === 0 && additionalProperties === false && !allOf && !anyOf && !oneOf) form.isClosed = true;
    for (const each of listOf(allOf)) collect(each, isNeeded, level + 1);
    for (const each of [...listOf(anyOf), ...listOf(oneOf)]) collect(each, false, level + 1);
  };
  collect(schema, true, 0);
  return form;
}

function isAnsweredOnly(member: unknown, document: OpenApiDocument): boolean {
  const followed = document.follow(member);
  return isJsonObject(followed) && followed.readOnly === true;
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}
