import { isJsonObject } from '../../../kernel/json.js';
import { COOKIE_NAME, HEADER_NAME } from '../../../platform/outbound/header-rules.js';
import { InputNames } from './input-names.js';
import { type Body, bodyOf } from './open-api-body.js';
import { type JsonObject, type OpenApiDocument, type Operation, Unsupported } from './open-api-document.js';
import type { Credentials } from './open-api-security.js';

/** The parts of an HTTP node for an operation, apart from its credentials. */
export interface RequestParts {
  /** The path as a template, which begins with `/`. */
  path: string;
  /** Pieces of the query as templates, each of which begins with `&`. */
  query: string[];
  headers: Record<string, string>;
  /** The pieces of the header `cookie` by their names. They are templates that begin with `; `. */
  cookies: Record<string, string>;
  /** The members of the node that send the body. */
  body: Partial<Body['node']>;
  /** The schema of the input, as the document has it. */
  input: JsonObject;
}

interface Parameter {
  name: string;
  place: string;
  isRequired: boolean;
  schema: JsonObject;
  described: JsonObject;
}

/** The first three are not parameters, as the specification says. The client sends the others itself. */
const NO_PARAMETERS = [
  ...['accept', 'content-type', 'authorization'],
  ...['connection', 'content-length', 'host', 'transfer-encoding'],
];

export function requestOf(operation: Operation, document: OpenApiDocument, credentials: Credentials): RequestParts {
  const names = new InputNames();
  const given = parametersOf(operation, document);
  const inPath = given.filter(({ place }) => place === 'path');
  const sent = given.filter(({ place }) => place !== 'path');
  const properties: [string, JsonObject][] = [];
  const required: string[] = [];
  const take = ({ name, place, schema, described, isRequired }: Parameter): string => {
    const input = names.take(name, place);
    const { description } = described;
    properties.push([input, { ...schema, ...(typeof description === 'string' && { description }) }]);
    if (isRequired) required.push(input);
    return input;
  };

  const path = pathOf(operation.path, inPath, take);
  const query = sent.filter(({ place }) => place === 'query').map((each) => queryOf(each, take(each), document));
  const headers = named(sent, 'header', HEADER_NAME, [...NO_PARAMETERS, ...Object.keys(credentials.headers)]).map(
    (each) => [each.name, headerOf(each, take(each), document)] as const,
  );
  const cookies = named(sent, 'cookie', COOKIE_NAME, Object.keys(credentials.cookies)).map(
    (each) => [each.name, cookieOf(each, take(each))] as const,
  );

  const body = operation.method === 'GET' ? undefined : bodyOf(operation.described, document);
  if (body) {
    properties.push(['body', body.schema]);
    required.push('body');
  }
  return {
    path,
    query,
    headers: { ...Object.fromEntries(headers), ...body?.headers },
    cookies: Object.fromEntries(cookies),
    body: body?.node ?? {},
    input: {
      type: 'object',
      ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
      ...(required.length > 0 && { required }),
      additionalProperties: false,
    },
  };
}

/** The parameters of the operation replace those of its path. */
function parametersOf({ item, described }: Operation, document: OpenApiDocument): Parameter[] {
  const all = [item.parameters, described.parameters].flatMap((each) =>
    Array.isArray(each) ? (each as unknown[]) : [],
  );
  const found = new Map<string, Parameter>();
  for (const each of all) {
    const parameter = document.follow(each);
    if (!isJsonObject(parameter) || typeof parameter.name !== 'string' || typeof parameter.in !== 'string') continue;
    const { name, in: place } = parameter;
    const schema = isJsonObject(parameter.schema) ? parameter.schema : contentSchema(parameter);
    const isRequired = place === 'path' || parameter.required === true;
    found.set(`${place} ${name}`, { name, place, isRequired, schema, described: parameter });
  }
  return [...found.values()];
}

function contentSchema({ content }: JsonObject): JsonObject {
  const [media] = isJsonObject(content) ? Object.values(content) : [];
  return isJsonObject(media) && isJsonObject(media.schema) ? media.schema : {};
}

function pathOf(path: string, inPath: Parameter[], take: (parameter: Parameter) => string): string {
  const pieces = path.split(/\{([^{}]+)\}/);
  const texts = pieces.map((piece, at) => {
    // The pieces alternate: a text, and the name of a parameter.
    if (at % 2 === 0) return withoutTags(piece);
    const declared = inPath.find(({ name }) => name === piece);
    const parameter = declared ?? {
      name: piece,
      place: 'path',
      isRequired: true,
      schema: { type: 'string' },
      described: {},
    };
    if (['label', 'matrix'].includes(parameter.described.style as string))
      throw new Unsupported(`has the path parameter ${piece} in a style that is not supported`);
    const join = isJsonObject(parameter.schema) && parameter.schema.type === 'array' ? ' | join: ","' : '';
    return `{{ input.${take(parameter)}${join} | url_encode | replace: "+", "%20" }}`;
  });
  const all = texts.join('');
  return all.startsWith('/') ? all : `/${all}`;
}

/** Text of the document must not become a tag of a template. */
function withoutTags(text: string): string {
  return text.replaceAll('{', '%7B').replaceAll('}', '%7D').replaceAll(' ', '%20').replaceAll('#', '%23');
}

/** Returns the headers or cookies that are parameters. A reserved one, such as a credential, is no part of the input. */
function named(given: Parameter[], place: string, rule: RegExp, reserved: string[]): Parameter[] {
  const isReserved = (name: string) => reserved.some((each) => each.toLowerCase() === name.toLowerCase());
  return given.filter((each) => {
    if (each.place !== place || isReserved(each.name)) return false;
    if (!rule.test(each.name) && each.isRequired) throw new Unsupported(`has a ${place} that HTTP does not allow`);
    return rule.test(each.name);
  });
}

/** HTTP nodes leave out a header whose value is empty, which it is if the input does not have the parameter. */
function headerOf({ schema, described }: Parameter, input: string, document: OpenApiDocument): string {
  const value = `input.${input}`;
  if (isJsonObject(described.content)) return ifGiven(value, `{{ ${value} | json }}`);
  const followed = document.follow(schema);
  const isArray = isJsonObject(followed) && [followed.type].flat().includes('array');
  return isArray ? `{{ ${value} | join: "," }}` : `{{ ${value} }}`;
}

function cookieOf({ name }: Parameter, input: string): string {
  return ifGiven(`input.${input}`, `; ${name}={{ input.${input} | url_encode }}`);
}

/** Returns the piece of the query, which is empty if the input does not have the parameter. */
function queryOf({ name, schema, described }: Parameter, input: string, document: OpenApiDocument): string {
  const encoded = encodeURIComponent(name);
  const value = `input.${input}`;
  const followed = document.follow(schema);
  const { type } = isJsonObject(followed) ? followed : {};
  if (isJsonObject(described.content)) return ifGiven(value, `&${encoded}={{ ${value} | json | url_encode }}`);
  const { style = 'form', explode = style === 'form' } = described;
  if ([type].flat().includes('array')) {
    if (explode === true && style !== 'deepObject')
      return `{% for each in ${value} %}&${encoded}={{ each | url_encode }}{% endfor %}`;
    const between = style === 'spaceDelimited' ? ' ' : style === 'pipeDelimited' ? '|' : ',';
    return ifGiven(value, `&${encoded}={{ ${value} | join: "${between}" | url_encode }}`);
  }
  if ([type].flat().includes('object')) {
    const key = '{{ pair[0] | url_encode }}';
    const named = style === 'deepObject' ? `${encoded}%5B${key}%5D` : key;
    return `{% for pair in ${value} %}&${named}={{ pair[1] | url_encode }}{% endfor %}`;
  }
  return ifGiven(value, `&${encoded}={{ ${value} | url_encode }}`);
}

function ifGiven(value: string, text: string): string {
  return `{% if ${value} != nil %}${text}{% endif %}`;
}
