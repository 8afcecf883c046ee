import { isJsonObject } from '../../../kernel/json.js';
import { MEDIA_TYPE } from '../../../platform/outbound/header-rules.js';
import { fileSchema, isFile, multipartOf } from './open-api-multipart.js';
import { type JsonObject, type OpenApiDocument, Unsupported } from './open-api-document.js';

export interface Body {
  schema: JsonObject;
  /** The members of an HTTP node that send the body. */
  node: { body: string } | { multipart: object } | { file: string };
  headers: Record<string, string>;
}

const JSON_TYPE = /^(application\/([\w.+-]+\+)?json|\*\/\*|application\/\*)\s*(;|$)/i;
const AS_IT_IS = { body: '{{ input.body }}' };
const FORM_TYPE = 'application/x-www-form-urlencoded';

/** Returns the body of an operation in the first format that HTTP nodes can send; undefined if it has none. */
export function bodyOf({ requestBody }: JsonObject, document: OpenApiDocument): Body | undefined {
  const body = document.follow(requestBody);
  if (!isJsonObject(body)) return undefined;
  const content = isJsonObject(body.content) ? Object.entries(body.content) : [];
  if (content.length === 0) return undefined;
  const of = (isType: (type: string) => boolean) => content.find(([type]) => isType(type));
  const json = of((type) => JSON_TYPE.test(type));
  if (json) return { schema: schemaOf(json[1], body), node: AS_IT_IS, headers: jsonHeaders(json[0]) };
  const form = of((type) => type.startsWith(FORM_TYPE));
  const multipart = of((type) => /^multipart\/form-data\b/i.test(type));
  // Where both are offered, only the one with several parts can send files.
  const parts = multipart && multipartOf(multipart[1], describedBy(body), document);
  if (parts && (!form || parts.hasFiles)) return parts.body;
  if (form) return formBody(form[1], body, document);
  const text = of((type) => type.startsWith('text/'));
  if (text) {
    const schema = { type: 'string', ...describedBy(body) };
    return { schema, node: AS_IT_IS, headers: { 'content-type': text[0] } };
  }
  const file = content.find(([type, media]) => isFileBody(type, media, document));
  if (file) return fileBody(file[0], body);
  if (body.required !== true) return undefined;
  throw new Unsupported(`needs a body of the type ${content.map(([type]) => type).join(' or ')}`);
}

/** HTTP nodes set the usual type themselves. */
function jsonHeaders(type: string): Record<string, string> {
  return /\*|^application\/json/.test(type) ? {} : { 'content-type': type };
}

/** Sends lists as repeated fields and objects as `name[key]`, unless the document says that fields are JSON. */
function formBody(media: unknown, body: JsonObject, document: OpenApiDocument): Body {
  const schema = schemaOf(media, body);
  const followed = document.follow(schema);
  const properties = isJsonObject(followed) && isJsonObject(followed.properties) ? followed.properties : {};
  const encoding = isJsonObject(media) && isJsonObject(media.encoding) ? media.encoding : {};
  const cases = Object.entries(properties).flatMap(([name, property]) => {
    // A name with a quotation mark or a brace cannot be part of the template, so its field is sent as it is.
    if (/["{}\\]/.test(name)) return [];
    const how = encoding[name];
    const field = fieldOf(name, document.follow(property), isJsonObject(how) ? how : {});
    return field === undefined ? [] : [`{% when "${name}" %}${field}`];
  });
  const plain = '&{{ pair[0] | url_encode }}={{ pair[1] | url_encode }}';
  const each = cases.length > 0 ? `{% case pair[0] %}${cases.join('')}{% else %}${plain}{% endcase %}` : plain;
  return {
    schema,
    node: {
      body: `{% capture form %}{% for pair in input.body %}${each}{% endfor %}{% endcapture %}{{ form | remove_first: "&" }}`,
    },
    headers: { 'content-type': FORM_TYPE },
  };
}

function fieldOf(name: string, schema: unknown, { style, contentType }: JsonObject): string | undefined {
  const { type } = isJsonObject(schema) ? schema : {};
  const kinds = [type].flat();
  const encoded = encodeURIComponent(name);
  if (typeof contentType === 'string' && JSON_TYPE.test(contentType))
    return `&${encoded}={{ pair[1] | json | url_encode }}`;
  if (kinds.includes('array')) {
    const brackets = style === 'deepObject' ? '%5B%5D' : '';
    return `{% for item in pair[1] %}&${encoded}${brackets}={{ item | url_encode }}{% endfor %}`;
  }
  if (!kinds.includes('object')) return undefined;
  return `{% for member in pair[1] %}&${encoded}%5B{{ member[0] | url_encode }}%5D={{ member[1] | url_encode }}{% endfor %}`;
}

/** The bytes of formats that are no text are a file. */
function isFileBody(type: string, media: unknown, document: OpenApiDocument): boolean {
  if (/^multipart\/|[/+]xml\b/i.test(type)) return false;
  const schema = isJsonObject(media) ? document.follow(media.schema ?? {}) : {};
  return isJsonObject(schema) && (isFile(schema) || ['string', undefined].includes(schema.type as string | undefined));
}

function fileBody(type: string, body: JsonObject): Body {
  const headers: Record<string, string> = type.includes('*') || !MEDIA_TYPE.test(type) ? {} : { 'content-type': type };
  return { schema: fileSchema(describedBy(body).description), node: { file: '{{ input.body }}' }, headers };
}

function schemaOf(media: unknown, body: JsonObject): JsonObject {
  const schema = isJsonObject(media) && isJsonObject(media.schema) ? media.schema : {};
  return { ...describedBy(body), ...schema };
}

function describedBy({ description }: JsonObject): JsonObject {
  return typeof description === 'string' && description !== '' ? { description } : {};
}
