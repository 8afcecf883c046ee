import { isJsonObject } from '../../../kernel/json.js';
import { shortened } from '../../../kernel/shortened.js';
import {
  type DocumentBytes,
  DocumentFault,
  type Documents,
  type FlowSchema,
  readDocuments,
  readVariables,
} from '../documents/documents.js';
import { type EnvDocument, SCHEMA_VERSION } from '../documents/documents.schema.js';
import { invalid, type JsonObject, OpenApiDocument, type Operation, Unsupported } from './open-api-document.js';
import { type RequestParts, requestOf } from './open-api-request.js';
import { toInputSchema } from './open-api-schema.js';
import { type Credentials, credentialsOf, variableOf } from './open-api-security.js';

/** How an OpenAPI document is read. */
export interface OpenApiChoice {
  /** The operations by their operationId, or by method and path. Null means all. */
  operations: string[] | null;
  /** The address to use instead of the servers of the document. */
  serverUrl: string | null;
  most: number;
}

export interface OperationTool {
  operation: string;
  documents: Documents;
}

export interface SkippedOperation {
  operation: string;
  reason: string;
}

const LONGEST_DESCRIPTION = 2_000;
const LONGEST_NAME = 64;
const LONGEST_SHOWN = 200;

/**
 * Makes a tool of each chosen operation: an HTTP request with its input schema. If all operations are read, those that
 * HTTP nodes cannot send are skipped with the reason. If an operation is named, the reason is a fault.
 */
export function readOpenApi(
  { tool: bytes, env }: DocumentBytes,
  { operations: names, serverUrl, most }: OpenApiChoice,
  flowSchema: FlowSchema,
): { tools: OperationTool[]; skipped: SkippedOperation[] } {
  const document = new OpenApiDocument(bytes);
  const operations = document.operations(names, most);
  const given = env ? readVariables(env) : [];
  refuseUnknown(given, document);
  const toolNames = new ToolNames();
  const skipped: SkippedOperation[] = [];
  const tools = operations.flatMap((operation): OperationTool[] => {
    try {
      return [
        {
          operation: operation.name,
          documents: toolOf(operation, document, { given, serverUrl, toolNames, flowSchema }),
        },
      ];
    } catch (error) {
      if (!(error instanceof Unsupported)) throw error;
      skipped.push({ operation: shortened(operation.name, LONGEST_SHOWN), reason: error.message });
      return [];
    }
  });
  const [first] = skipped;
  if (first && (names !== null || tools.length === 0)) {
    const message = `The operation ${first.operation} ${first.reason}.`;
    throw new DocumentFault('OPENAPI_OPERATION_UNSUPPORTED', message);
  }
  return { tools, skipped };
}

interface Making {
  given: EnvDocument['variables'];
  serverUrl: string | null;
  toolNames: ToolNames;
  flowSchema: FlowSchema;
}

/** The documents are read like those of any other tool, so that the same rules apply to them. */
function toolOf(
  operation: Operation,
  document: OpenApiDocument,
  { given, serverUrl, toolNames, flowSchema }: Making,
): Documents {
  const address = addressOf(operation, document, serverUrl);
  const credentials = credentialsOf(operation, document, address);
  const request = requestOf(operation, document, credentials);
  const input = toInputSchema(request.input, document);
  if ('fault' in input) throw new Unsupported(`has an input whose schema ${input.fault}`);
  const variables = credentials.variables.map((name) => {
    return { name, value: given.find((each) => each.name === name)?.value ?? '', secret: true };
  });
  const tool = {
    name: toolNames.take(operation),
    description: descriptionOf(operation),
    inputSchema: input.schema,
  };
  const url = `${address}${request.path}`;
  const flow = { callflows: [flowOf(operation, url, request, credentials)] };
  return readDocuments({ tool: toBytes({ tool }), flow: toBytes(flow), env: toBytes({ variables }) }, flowSchema);
}

function flowOf({ method }: Operation, url: string, request: RequestParts, credentials: Credentials): object {
  const query = [...request.query, ...credentials.query].join('');
  const cookies = Object.values({ ...request.cookies, ...credentials.cookies }).join('');
  const begin = url.includes('?') ? '{{ query }}' : '{{ query | replace_first: "&", "?" }}';
  const call = {
    id: 'call',
    type: 'http',
    method,
    url: query === '' ? url : `{% capture query %}${query}{% endcapture %}${url}${begin}`,
    headers: {
      accept: 'application/json',
      ...request.headers,
      ...credentials.headers,
      ...(cookies !== '' && {
        cookie: `{% capture cookies %}${cookies}{% endcapture %}{{ cookies | remove_first: "; " }}`,
      }),
    },
    ...request.body,
    ...(credentials.oauth && { oauth: credentials.oauth }),
  };
  return {
    id: 'main',
    name: 'Main',
    nodes: [{ id: 'start', type: 'start' }, call, { id: 'end', type: 'end', output: '{{ nodes.call.body }}' }],
    edges: [
      { from: 'start', to: 'call' },
      { from: 'call', to: 'end' },
    ],
  };
}

/** Returns the address without a slash at its end. The paths of the document are appended to it. */
function addressOf({ described, item }: Operation, { root }: OpenApiDocument, serverUrl: string | null): string {
  const [server] = [described.servers, item.servers, root.servers].flatMap((all) =>
    Array.isArray(all) ? (all as unknown[]) : [],
  );
  const address = serverUrl ?? filled(server);
  const url = URL.parse(address);
  if (!url || !/^https?:$/.test(url.protocol))
    throw invalid('does not name the address of its server. Send the address as `serverUrl`.');
  if (url.username !== '' || url.password !== '')
    throw invalid('has a server address with credentials. Put them into a security scheme, whose value is sealed.');
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`.replaceAll('{', '%7B').replaceAll('}', '%7D');
}

/** Replaces the variables of a server's address by their defaults. */
function filled(server: unknown): string {
  if (!isJsonObject(server) || typeof server.url !== 'string') return '';
  const variables = isJsonObject(server.variables) ? server.variables : {};
  return server.url.replace(/\{([^{}]+)\}/g, (_, name: string) => {
    const variable = Object.hasOwn(variables, name) ? variables[name] : undefined;
    return isJsonObject(variable) ? String(variable.default) : '';
  });
}

function descriptionOf({ name, method, path, described }: Operation): string {
  const texts = [described.summary, described.description].filter(
    (text, at, all) => typeof text === 'string' && text.trim() !== '' && all.indexOf(text) === at,
  ) as string[];
  const text = texts.length > 0 ? texts.map((each) => each.trim()).join('\n\n') : `${name}: ${method} ${path}`;
  return shortened(text, LONGEST_DESCRIPTION);
}

/** Gives each tool a name by which models can call it. */
class ToolNames {
  private readonly taken = new Set<string>();

  take({ name }: Operation): string {
    const words = name.replace(/[^A-Za-z0-9-]+/g, '_').replace(/^[_-]+|[_-]+$/g, '') || 'operation';
    const plain = (/^[A-Za-z]/.test(words) ? words : `_${words}`).slice(0, LONGEST_NAME);
    let free = plain;
    for (let number = 2; this.taken.has(free); number += 1) {
      const end = `_${number}`;
      free = `${plain.slice(0, LONGEST_NAME - end.length)}${end}`;
    }
    this.taken.add(free);
    return free;
  }
}

/** A variable that no security scheme names would have no effect, so its name is probably misspelt. */
function refuseUnknown(given: EnvDocument['variables'], { root }: OpenApiDocument): void {
  const { securitySchemes } = isJsonObject(root.components) ? root.components : ({} as JsonObject);
  const known = isJsonObject(securitySchemes) ? Object.keys(securitySchemes).map(variableOf) : [];
  const unknown = given.find(({ name }) => !known.includes(name));
  if (!unknown) return;
  const expected = known.length > 0 ? `names ${known.join(', ')}` : 'has no security scheme';
  throw new DocumentFault(
    'ENV_DOCUMENT_INVALID',
    `The env document has the variable ${unknown.name}, but the OpenAPI document ${shortened(expected, LONGEST_SHOWN)}.`,
  );
}

function toBytes(document: object): Buffer {
  return Buffer.from(JSON.stringify({ schemaVersion: SCHEMA_VERSION, ...document }));
}
