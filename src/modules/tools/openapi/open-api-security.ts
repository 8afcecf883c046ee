import { isJsonObject } from '../../../kernel/json.js';
import { COOKIE_NAME, HEADER_NAME } from '../../../platform/outbound/header-rules.js';
import type { JsonObject, OpenApiDocument, Operation } from './open-api-document.js';

/** The credentials of an operation: the variables with their values, and where a request has them. */
export interface Credentials {
  variables: string[];
  headers: Record<string, string>;
  /** Pieces of the query, each of which begins with `&`. */
  query: string[];
  /** The pieces of the header `cookie` by their names. Each begins with `; `. */
  cookies: Record<string, string>;
}

type Part = Omit<Credentials, 'variables'>;

const NO_PART: Part = { headers: {}, query: [], cookies: {} };
const NONE: Credentials = { variables: [], ...NO_PART };
const MAX_NAME = 64;

/** Returns the name of the sealed variable for a security scheme, such as `API_KEY` for `apiKey`. */
export function variableOf(scheme: string): string {
  const words = scheme
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/\W+/g, '_')
    .toUpperCase()
    .slice(0, MAX_NAME - 1);
  return /^[A-Z_]/.test(words) ? words : `_${words}`;
}

/**
 * Returns the credentials of the first alternative that HTTP nodes can send. Returns undefined if the operation
 * needs credentials and there is no such alternative.
 */
export function credentialsOf({ described }: Operation, document: OpenApiDocument): Credentials | undefined {
  const security = described.security ?? document.root.security;
  const alternatives = Array.isArray(security) ? security.filter(isJsonObject) : [];
  const [anonymous, named] = [
    alternatives.some((each) => Object.keys(each).length === 0),
    alternatives.filter((each) => Object.keys(each).length > 0),
  ];
  if (named.length === 0) return NONE;
  const possible = named.map((each) => together(Object.keys(each), document)).find((found) => found !== undefined);
  return possible ?? (anonymous ? NONE : undefined);
}

function together(schemes: string[], document: OpenApiDocument): Credentials | undefined {
  const all = schemes.map((name) => {
    const { components } = document.root;
    const defined = isJsonObject(components) && isJsonObject(components.securitySchemes) && components.securitySchemes;
    const scheme = defined && Object.hasOwn(defined, name) ? document.follow(defined[name]) : undefined;
    return isJsonObject(scheme) ? partOf(scheme, `env.${variableOf(name)}`) : undefined;
  });
  if (all.includes(undefined)) return undefined;
  const parts = all as Part[];
  return {
    variables: schemes.map(variableOf),
    headers: Object.assign({}, ...parts.map(({ headers }) => headers)) as Record<string, string>,
    query: parts.flatMap(({ query }) => query),
    cookies: Object.assign({}, ...parts.map(({ cookies }) => cookies)) as Record<string, string>,
  };
}

function partOf({ type, scheme, in: place, name }: JsonObject, variable: string): Part | undefined {
  const header = (header: string, value: string): Part => ({ ...NO_PART, headers: { [header]: value } });
  if (type === 'apiKey' && typeof name === 'string') {
    if (place === 'header' && HEADER_NAME.test(name)) return header(name, `{{ ${variable} }}`);
    if (place === 'query')
      return { ...NO_PART, query: [`&${encodeURIComponent(name)}={{ ${variable} | url_encode }}`] };
    const isCookie = place === 'cookie' && COOKIE_NAME.test(name);
    return isCookie ? { ...NO_PART, cookies: { [name]: `; ${name}={{ ${variable} }}` } } : undefined;
  }
  const kind = type === 'http' ? String(scheme).toLowerCase() : type;
  // The variable is `user:password`, because a run masks the value of a variable in base64, but not one computed of two.
  if (kind === 'basic') return header('authorization', `Basic {{ ${variable} | base64_encode }}`);
  const isToken = kind === 'bearer' || kind === 'oauth2' || kind === 'openIdConnect';
  return isToken ? header('authorization', `Bearer {{ ${variable} }}`) : undefined;
}
