import { load, YAMLException } from 'js-yaml';
import { isJsonObject } from '../../../kernel/json.js';
import { shortened } from '../../../kernel/shortened.js';
import { DocumentFault } from '../documents/documents.js';

export type JsonObject = Record<string, unknown>;

/** The methods of HTTP nodes. */
const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
/** Limits the references that lead to one another. Valid documents have two or three. */
const MAX_REFERENCES = 20;
const MAX_ALIASES = 10_000;
const MAX_LEVELS = 200;
const MOST_NAMED = 10;
const LONGEST_NAME = 100;

const utf8 = new TextDecoder('utf-8', { fatal: true });

export interface Operation {
  /** The operationId, or the method and the path. */
  name: string;
  method: Uppercase<(typeof METHODS)[number]>;
  path: string;
  /** The members that all operations of the path have in common. */
  item: JsonObject;
  described: JsonObject;
}

export function invalid(reason: string): DocumentFault {
  return new DocumentFault('OPENAPI_DOCUMENT_INVALID', `The OpenAPI document ${reason}`);
}

/** The operation cannot be sent by an HTTP node. The message is the end of a sentence. */
export class Unsupported extends Error {}

/** A document of OpenAPI 3, as JSON or YAML. References are followed within the document, and never fetched. */
export class OpenApiDocument {
  readonly root: JsonObject;

  constructor(bytes: Uint8Array) {
    const root = parsed(bytes);
    if (!isJsonObject(root)) throw invalid('is not an object.');
    const { openapi, swagger } = root;
    if (swagger !== undefined)
      throw invalid(`has the version Swagger ${shown(swagger)}. Convert it to OpenAPI 3 and import that.`);
    if (openapi === undefined) throw invalid('has no member `openapi`, so it is not an OpenAPI document.');
    if (typeof openapi !== 'string' || !/^3\.\d/.test(openapi))
      throw invalid(`has the version ${shown(openapi)}. This service reads OpenAPI 3.`);
    this.root = root;
  }

  /** Returns the operations with these names, or all of them. */
  operations(names: readonly string[] | null, most: number): Operation[] {
    const { all, fault } = this.listed();
    if (names === null) {
      if (fault) throw fault;
      if (all.length === 0) throw invalid('has no operation with GET, POST, PUT, PATCH or DELETE.');
      if (all.length > most) throw tooMany(all, most);
      return all;
    }
    if (names.length > most)
      throw tooMany(
        names.map((name) => ({ name })),
        most,
      );
    return names.map((name) => {
      const found = all.find((each) => each.name === name || isAt(each, name));
      if (found) return found;
      // The operation may be on a path that another file describes.
      throw fault ?? unknown(name, all);
    });
  }

  /** Follows references until there is a value. It is undefined if a reference leads nowhere. */
  follow(value: unknown): unknown {
    let at = value;
    for (let hops = 0; isJsonObject(at) && typeof at.$ref === 'string'; hops += 1) {
      if (hops === MAX_REFERENCES) throw invalid(`has references that lead to one another: ${shown(at.$ref)}.`);
      at = this.target(at.$ref);
    }
    return at;
  }

  /** Returns what a reference within the document leads to. Throws if it leads to another document. */
  target(reference: string): unknown {
    if (!reference.startsWith('#'))
      throw new DocumentFault(
        'OPENAPI_REFERENCE_OUTSIDE',
        `The OpenAPI document refers to ${shown(reference)}, which is another file. Other files are never fetched. Put all into one document, for example with \`redocly bundle\`.`,
      );
    let at: unknown = this.root;
    for (const step of reference.slice(1).split('/').slice(1)) {
      const name = decoded(step).replaceAll('~1', '/').replaceAll('~0', '~');
      at = typeof at === 'object' && at !== null && Object.hasOwn(at, name) ? (at as JsonObject)[name] : undefined;
    }
    if (at === undefined) throw invalid(`refers to ${shown(reference)}, which it does not have.`);
    return at;
  }

  private listed(): { all: Operation[]; fault: DocumentFault | undefined } {
    let fault: DocumentFault | undefined;
    const paths = isJsonObject(this.root.paths) ? Object.entries(this.root.paths) : [];
    const all = paths.flatMap(([path, at]) => {
      try {
        const item = this.follow(at);
        return isJsonObject(item) ? METHODS.flatMap((method) => this.operation(path, item, method)) : [];
      } catch (error) {
        if (!(error instanceof DocumentFault)) throw error;
        fault ??= error;
        return [];
      }
    });
    return { all, fault };
  }

  private operation(path: string, item: JsonObject, method: (typeof METHODS)[number]): Operation[] {
    if (!Object.hasOwn(item, method)) return [];
    const described = this.follow(item[method]);
    if (!isJsonObject(described)) return [];
    const verb = method.toUpperCase() as Operation['method'];
    const { operationId } = described;
    const name = typeof operationId === 'string' && operationId !== '' ? operationId : `${verb} ${path}`;
    return [{ name, method: verb, path, item, described }];
  }
}

/** YAML is read without the tags that make anything but JSON. */
function parsed(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = utf8.decode(bytes).replace(/^\ufeff/, '');
  } catch {
    throw invalid('is not UTF-8.');
  }
  try {
    return /^\s*\{/.test(text)
      ? JSON.parse(text)
      : load(text, { json: true, maxAliases: MAX_ALIASES, maxDepth: MAX_LEVELS });
  } catch (error) {
    if (error instanceof YAMLException) {
      const line = error.mark ? ` in line ${error.mark.line + 1}` : '';
      throw invalid(`is not YAML: ${error.reason}${line}.`);
    }
    const at = /position (\d+)/.exec((error as Error).message)?.[1];
    throw invalid(`is not JSON${at === undefined ? '' : ` (at character ${at})`}.`);
  }
}

function isAt({ method, path }: Operation, name: string): boolean {
  const [verb = '', at] = name.split(/\s+(.*)/s);
  return verb.toUpperCase() === method && at === path;
}

function tooMany(all: readonly { name: string }[], most: number): DocumentFault {
  const bound = most === 1 ? 'another version of a tool has one' : `an import has at most ${most}`;
  const message = `The OpenAPI document has ${all.length} operations, and ${bound}. Choose in \`operations\`, for example ${listed(all)}.`;
  return new DocumentFault('OPENAPI_TOO_MANY_OPERATIONS', message);
}

function unknown(name: string, all: readonly Operation[]): DocumentFault {
  const message = `The OpenAPI document has no operation ${shown(name)}. It has ${all.length}: ${listed(all)}.`;
  return new DocumentFault('OPENAPI_OPERATION_UNKNOWN', message);
}

function listed(all: readonly { name: string }[]): string {
  const names = all.slice(0, MOST_NAMED).map(({ name }) => shortened(name, LONGEST_NAME));
  return all.length > names.length ? `${names.join(', ')}, …` : names.join(', ');
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

function shown(value: unknown): string {
  return shortened(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''), LONGEST_NAME);
}
