import { isJsonObject } from '../../../kernel/json.js';
import { COOKIE_NAME, HEADER_NAME } from '../../../platform/outbound/header-rules.js';
import { shortened } from '../../../kernel/shortened.js';
import { type JsonObject, type OpenApiDocument, type Operation, Unsupported } from './open-api-document.js';

/** The credentials of an operation: the variables with their values, and where a request has them. */
export interface Credentials {
  variables: string[];
  headers: Record<string, string>;
  /** Pieces of the query, each of which begins with `&`. */
  query: string[];
  /** The pieces of the header `cookie` by their names. Each begins with `; `. */
  cookies: Record<string, string>;
  /** How the HTTP node obtains an access token. */
  oauth: JsonObject | undefined;
}

type Part = Omit<Credentials, 'variables'>;

const NO_PART: Part = { headers: {}, query: [], cookies: {}, oauth: undefined };
const NONE: Credentials = { variables: [], ...NO_PART };
const MAX_NAME = 64;
const LONGEST = 100;

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
 * Returns the credentials of the first alternative that HTTP nodes can send. Throws Unsupported if the operation needs
 * credentials and there is no such alternative. `address` is that of the server, to which others may be relative.
 */
export function credentialsOf({ described }: Operation, document: OpenApiDocument, address: string): Credentials {
  const security = described.security ?? document.root.security;
  const alternatives = Array.isArray(security) ? security.filter(isJsonObject) : [];
  const isOptional = alternatives.some((each) => Object.keys(each).length === 0);
  let refused: Unsupported | undefined;
  for (const each of alternatives.filter((one) => Object.keys(one).length > 0)) {
    try {
      return together(each, document, address);
    } catch (error) {
      if (!(error instanceof Unsupported)) throw error;
      refused ??= error;
    }
  }
  if (refused && !isOptional) throw refused;
  return NONE;
}

function together(required: JsonObject, document: OpenApiDocument, address: string): Credentials {
  const schemes = Object.keys(required);
  const { components } = document.root;
  const defined = isJsonObject(components) && isJsonObject(components.securitySchemes) && components.securitySchemes;
  const parts = schemes.map((name) => {
    const scheme = defined && Object.hasOwn(defined, name) ? document.follow(defined[name]) : undefined;
    const part = isJsonObject(scheme) ? partOf(scheme, name, required[name], address) : undefined;
    if (part) return part;
    const kind = isJsonObject(scheme) ? [scheme.type, scheme.scheme].filter(Boolean).join(' ') : 'undefined';
    throw new Unsupported(`needs credentials that HTTP nodes do not send: ${shortened(`${name} (${kind})`, LONGEST)}`);
  });
  const headers = parts.flatMap((part) => Object.keys(part.oauth ? { authorization: '' } : part.headers));
  const twice = headers.find((name, at) => headers.findIndex((one) => isSame(one, name)) !== at);
  if (twice !== undefined) throw new Unsupported(`needs two credentials in the header ${twice}`);
  return {
    variables: schemes.map(variableOf),
    headers: Object.assign({}, ...parts.map((part) => part.headers)) as Record<string, string>,
    query: parts.flatMap(({ query }) => query),
    cookies: Object.assign({}, ...parts.map(({ cookies }) => cookies)) as Record<string, string>,
    oauth: parts.find(({ oauth }) => oauth)?.oauth,
  };
}

function isSame(name: string, other: string): boolean {
  return name.toLowerCase() === other.toLowerCase();
}

function partOf(described: JsonObject, scheme: string, scopes: unknown, address: string): Part | undefined {
  const { type, in: place, name } = described;
  const variable = `env.${variableOf(scheme)}`;
  const header = (header: string, value: string): Part => ({ ...NO_PART, headers: { [header]: value } });
  if (type === 'apiKey' && typeof name === 'string') {
    if (place === 'header' && HEADER_NAME.test(name)) return header(name, `{{ ${variable} }}`);
    if (place === 'query')
      return { ...NO_PART, query: [`&${encodeURIComponent(name)}={{ ${variable} | url_encode }}`] };
    const isCookie = place === 'cookie' && COOKIE_NAME.test(name);
    return isCookie ? { ...NO_PART, cookies: { [name]: `; ${name}={{ ${variable} }}` } } : undefined;
  }
  const kind = type === 'http' ? String(described.scheme).toLowerCase() : type;
  // The variable is `user:password`, because a run masks the value of a variable in base64, but not one computed of two.
  if (kind === 'basic') return header('authorization', `Basic {{ ${variable} | base64_encode }}`);
  const server = serverOf(described, address);
  if (server) {
    const scope = Array.isArray(scopes) ? scopes.filter((each) => typeof each === 'string').join(' ') : '';
    return { ...NO_PART, oauth: { credentials: `{{ ${variable} }}`, ...server, ...(scope && { scope }) } };
  }
  // Without client credentials, a user has to sign in, and the variable is the access token that results.
  const isToken = kind === 'bearer' || kind === 'oauth2';
  return isToken ? header('authorization', `Bearer {{ ${variable} }}`) : undefined;
}

/** Returns where a client obtains a token for itself, without a user who signs in. */
function serverOf({ type, flows, openIdConnectUrl }: JsonObject, address: string): JsonObject | undefined {
  if (type === 'openIdConnect') return absolute('openIdConnectUrl', openIdConnectUrl, address);
  const flow = type === 'oauth2' && isJsonObject(flows) ? flows.clientCredentials : undefined;
  return isJsonObject(flow) ? absolute('tokenUrl', flow.tokenUrl, address) : undefined;
}

function absolute(name: string, given: unknown, address: string): JsonObject {
  const url = typeof given === 'string' && given !== '' ? URL.parse(given, address) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw new Unsupported(`needs an access token, and its ${name} is not an address`);
  // Braces would begin a tag of a template.
  return { [name]: url.href.replaceAll('{', '%7B').replaceAll('}', '%7D') };
}
