/** An operation of an OpenAPI document. */
export interface Operation {
  /** The method and the path, by which an import chooses it. */
  at: string;
  summary: string;
  /** The names of the security schemes that it may need. */
  schemes: readonly string[];
}

/** A security scheme, whose value an import takes as a variable. */
interface Credential {
  variable: string;
  scheme: string;
  hint: string;
}

/** The members of an OpenAPI document that the console shows before the service reads it. */
export interface OpenApiDocument {
  title: string;
  /** The address of its first server. */
  server: string;
  operations: readonly Operation[];
  credentials: readonly Credential[];
}

type Json = Readonly<Record<string, unknown>>;

/** The methods whose operations can be imported. */
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const MAX_REFERENCES = 20;
const MAX_ALIASES = 10_000;
const MAX_LEVELS = 200;
const LONGEST_VARIABLE = 63;

/** A text that should be an OpenAPI document, and is none. */
class NotOpenApi extends Error {
  override name = 'NOT_OPENAPI';
}

/** Reads the members that a choice needs. The import reads all of them, and says what is wrong with the others. */
export async function readOpenApi(text: string): Promise<OpenApiDocument> {
  const root = await parsed(text);
  if (!isJson(root) || !isJson(root.paths) || typeof root.openapi !== 'string')
    throw new NotOpenApi('The document has no members `openapi` and `paths`, so it is not an OpenAPI 3 document.');
  const operations = Object.entries(root.paths).flatMap(([path, item]) => operationsOf(root, path, follow(root, item)));
  if (operations.length === 0)
    throw new NotOpenApi('The document has no operation with GET, POST, PUT, PATCH or DELETE.');
  const [server] = Array.isArray(root.servers) ? (root.servers as unknown[]) : [];
  return {
    title: textOf(isJson(root.info) ? root.info.title : ''),
    server: textOf(isJson(server) ? server.url : ''),
    operations,
    credentials: credentialsOf(root),
  };
}

/** Most documents are JSON. The reader of YAML is loaded only for the others. */
async function parsed(text: string): Promise<unknown> {
  try {
    if (/^\s*\{/.test(text)) return JSON.parse(text);
    const { load } = await import('js-yaml');
    return load(text, { json: true, maxAliases: MAX_ALIASES, maxDepth: MAX_LEVELS });
  } catch (error) {
    throw new NotOpenApi(`The document is not JSON or YAML. ${(error as Error).message}`);
  }
}

function operationsOf(root: Json, path: string, item: unknown): Operation[] {
  if (!isJson(item)) return [];
  return METHODS.flatMap((method) => {
    const described = Object.hasOwn(item, method) ? follow(root, item[method]) : undefined;
    if (!isJson(described)) return [];
    const security = described.security ?? root.security;
    const schemes = Array.isArray(security) ? security.filter(isJson).flatMap((each) => Object.keys(each)) : [];
    const summary = textOf(described.summary) || textOf(described.description) || textOf(described.operationId);
    return [{ at: `${method.toUpperCase()} ${path}`, summary, schemes }];
  });
}

function credentialsOf(root: Json): Credential[] {
  const { securitySchemes } = isJson(root.components) ? root.components : {};
  const all = isJson(securitySchemes) ? Object.entries(securitySchemes) : [];
  return all.map(([scheme, at]) => ({ scheme, variable: variableOf(scheme), hint: hintOf(follow(root, at)) }));
}

/** The service derives the names of variables in the same way, and refuses others. */
function variableOf(scheme: string): string {
  const words = scheme
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/\W+/g, '_')
    .toUpperCase()
    .slice(0, LONGEST_VARIABLE);
  return /^[A-Z_]/.test(words) ? words : `_${words}`;
}

function hintOf(scheme: unknown): string {
  if (!isJson(scheme)) return '';
  if (scheme.type === 'apiKey') return `Requests send it in the ${textOf(scheme.in)} as ${textOf(scheme.name)}.`;
  const isBasic = scheme.type === 'http' && textOf(scheme.scheme).toLowerCase() === 'basic';
  if (isBasic) return 'The name and the password, as user:password.';
  const isOfClient = scheme.type === 'openIdConnect' || (scheme.type === 'oauth2' && hasClientFlow(scheme.flows));
  return isOfClient ? 'An access token, or the id and secret of a client, as id:secret.' : 'An access token.';
}

/** Whether a client obtains a token for itself. With the other flows, a user has to sign in. */
function hasClientFlow(flows: unknown): boolean {
  return isJson(flows) && isJson(flows.clientCredentials);
}

/** Follows references within the document. Others lead nowhere, and are never fetched. */
function follow(root: Json, value: unknown): unknown {
  let at = value;
  for (let hops = 0; isJson(at) && typeof at.$ref === 'string'; hops += 1) {
    if (hops === MAX_REFERENCES || !at.$ref.startsWith('#/')) return undefined;
    at = at.$ref.slice(2).split('/').reduce<unknown>(memberOf, root);
  }
  return at;
}

function memberOf(value: unknown, step: string): unknown {
  const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? (value as Json)[name] : undefined;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
