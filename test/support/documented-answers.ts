import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { closed } from './closed-schema.js';
import { type Content, type OpenApi, OpenApiReader, type Schema } from './open-api.js';

export interface Asked {
  verb: string;
  /** With its query. */
  path: string;
}

export interface Answered {
  status: number;
  contentType: string;
  body: unknown;
}

interface KnownOperation {
  name: string;
  segments: string[];
  answers: Record<string, Content>;
}

/** Refusals of the server, before a request is one for a route: of those no operation says anything. */
const OF_NO_ROUTE = [
  'MALFORMED_REQUEST',
  'HEADERS_TOO_LARGE',
  'REQUEST_TIMEOUT',
  'ROUTE_NOT_FOUND',
  'METHOD_NOT_ALLOWED',
];

/**
 * Checks answers against the OpenAPI document. Each schema is compiled when its first answer arrives. The document leaves
 * objects open, so that later versions may add members; here they are closed, so that an undocumented member is a fault.
 */
export class DocumentedAnswers {
  private readonly reader: OpenApiReader;
  private readonly operations: Map<string, KnownOperation[]>;
  private readonly ajv = addFormats.default(new Ajv2020({ strict: false, validateSchema: false, logger: false }));
  private readonly compiled = new Map<Schema, ValidateFunction>();

  constructor(document: OpenApi) {
    this.reader = new OpenApiReader(document);
    const known = this.reader.names().map((name) => this.known(name));
    this.operations = Map.groupBy(known, ({ name, segments }) => kindOf(name.split(' ')[0]!, segments));
    for (const [name, schema] of Object.entries(document.components.schemas ?? {}))
      this.ajv.addSchema(closed(schema), name);
  }

  /** Why an answer is none that the document has. Of paths that it does not have it says nothing. */
  fault(asked: Asked, answered: Answered): string | undefined {
    const operation = this.find(asked);
    if (!operation || isOfNoRoute(answered.body)) return undefined;
    const content = operation.answers[answered.status];
    if (!content) return `${operation.name} documents no ${answered.status}`;
    if (answered.contentType === '' && Object.keys(content).length === 0) return undefined;
    const [type = ''] = answered.contentType.split(';');
    const schema = (content[type] ?? content['*/*'])?.schema;
    if (!schema) return `${operation.name} documents no ${type || 'answer without content'} with ${answered.status}`;
    if (!/^application\/([\w.-]+\+)?json$/.test(type)) return undefined;
    const reason = this.mismatch(schema, answered.body);
    return reason && `${operation.name} documents another answer with ${answered.status}: ${reason}`;
  }

  /** Why a value is none of a schema, every object of which is closed. */
  mismatch(schema: Schema, value: unknown): string | undefined {
    let validate = this.compiled.get(schema);
    if (!validate) this.compiled.set(schema, (validate = this.ajv.compile(closed(schema))));
    if (validate(value)) return undefined;
    const reasons = validate.errors!.map(({ instancePath, message, params }) =>
      [instancePath || 'the value', message, JSON.stringify(params)].join(' '),
    );
    return [...new Set(reasons)].slice(0, 10).join('; ');
  }

  private known(name: string): KnownOperation {
    const segments = name.split(' ')[1]!.split('/');
    return { name, segments, answers: this.reader.answers(this.reader.operation(name)) };
  }

  /** Of several that fit, the one that says more: `/files/session` is no `/files/{fileId}`. */
  private find({ verb, path }: Asked): KnownOperation | undefined {
    const segments = path.split('?', 1)[0]!.split('/');
    const fitting = (this.operations.get(kindOf(verb, segments)) ?? []).filter((operation) =>
      operation.segments.every((part, at) => (part.startsWith('{') ? segments[at] !== '' : part === segments[at])),
    );
    return fitting.sort((a, b) => parametersIn(a) - parametersIn(b))[0];
  }
}

function parametersIn({ segments }: KnownOperation): number {
  return segments.filter((part) => part.startsWith('{')).length;
}

function kindOf(verb: string, segments: string[]): string {
  return `${verb} ${segments.length}`;
}

function isOfNoRoute(body: unknown): boolean {
  const { error } = (body ?? {}) as { error?: { code?: unknown } };
  return OF_NO_ROUTE.includes(String(error?.code));
}
