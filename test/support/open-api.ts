/** As much of OpenAPI as the document uses. Every part may stand among the components, with a reference in its place. */
export interface OpenApi {
  paths: Record<string, Record<string, OpenApiOperation>>;
  components: Record<string, Record<string, object>>;
}

export interface OpenApiOperation {
  parameters?: Referable<Parameter>[];
  requestBody?: Referable<{ content: Content }>;
  responses: Record<string, Referable<{ content?: Content }>>;
}

export interface Parameter extends Media {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
}

export interface Media {
  schema?: Schema;
  example?: unknown;
  examples?: Record<string, Referable<{ value: unknown }>>;
}

export interface Schema {
  $ref?: string;
  example?: unknown;
  examples?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  anyOf?: Schema[];
}

export type Content = Record<string, Media>;
type Referable<Part extends object> = Part | { $ref: string };

/** Finds what references stand for. */
export class OpenApiReader {
  constructor(readonly document: OpenApi) {}

  operation(name: string): OpenApiOperation {
    const [verb = '', path = ''] = name.split(' ');
    const operation = this.document.paths[path]?.[verb.toLowerCase()];
    if (!operation) throw new Error(`The document has no ${name}`);
    return operation;
  }

  /** As `GET /health/live`. */
  names(): string[] {
    return Object.entries(this.document.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((verb) => `${verb.toUpperCase()} ${path}`),
    );
  }

  parameters({ parameters = [] }: OpenApiOperation): Parameter[] {
    return parameters.map((parameter) => this.resolve(parameter));
  }

  bodies({ requestBody }: OpenApiOperation): Content {
    return requestBody ? this.resolve(requestBody).content : {};
  }

  /** By status, and then by media type. */
  answers({ responses }: OpenApiOperation): Record<string, Content> {
    const contents = Object.entries(responses).map(([status, response]) => [
      status,
      this.resolve(response).content ?? {},
    ]);
    return Object.fromEntries(contents) as Record<string, Content>;
  }

  /** All examples of a value: those that stand beside its schema, and otherwise those of the schema. */
  examples({ example, examples = {}, schema }: Media): unknown[] {
    const beside = Object.values(examples).map((each) => this.resolve(each).value);
    if (example !== undefined) beside.unshift(example);
    if (beside.length > 0 || !schema) return beside;
    const { example: own, examples: all = [] } = this.resolve(schema);
    return own === undefined ? all : [own];
  }

  resolve<Part extends object>(part: Part | { $ref: string }): Part {
    if (!('$ref' in part) || typeof part.$ref !== 'string') return part as Part;
    const [, , kind = '', name = ''] = part.$ref.split('/');
    const found = this.document.components[kind]?.[name];
    if (!found) throw new Error(`The document refers to ${part.$ref}, which it has not`);
    return this.resolve(found as Part);
  }
}
