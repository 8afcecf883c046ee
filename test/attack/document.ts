import { nameOf } from '../support/route-suite.js';
import type { IndexedRoute } from '../../src/platform/route/route-index.js';
import type { Target } from '../support/service.js';

/** The part of JSON Schema that the document uses. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  propertyNames?: Schema;
  items?: Schema;
  prefixItems?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  pattern?: string;
  format?: string;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
}

interface Operation {
  parameters?: { name: string; in: string; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
}

/** The document at `/openapi.json`, as a stranger reads it. */
export class ApiDocument {
  private constructor(
    private readonly operations: Map<string, Operation>,
    private readonly schemas: Record<string, Schema>,
  ) {}

  static async of({ url }: Pick<Target, 'url'>): Promise<ApiDocument> {
    const response = await fetch(`${url}/openapi.json`);
    const document = (await response.json()) as {
      paths: Record<string, Record<string, Operation>>;
      components: { schemas: Record<string, Schema> };
    };
    const operations = Object.entries(document.paths).flatMap(([path, verbs]) =>
      Object.entries(verbs).map(([verb, operation]) => [`${verb.toUpperCase()} ${path}`, operation] as const),
    );
    return new ApiDocument(new Map(operations), document.components.schemas);
  }

  names(): string[] {
    return [...this.operations.keys()];
  }

  queryOf(route: IndexedRoute): [name: string, schema: Schema][] {
    const parameters = this.operations.get(nameOf(route))?.parameters ?? [];
    return parameters.filter((parameter) => parameter.in === 'query').map(({ name, schema }) => [name, schema]);
  }

  bodyOf(route: IndexedRoute): Schema | undefined {
    return this.operations.get(nameOf(route))?.requestBody?.content['application/json']?.schema;
  }

  /** Follows references until it finds a schema. */
  resolve(schema: Schema): Schema {
    return schema.$ref ? this.resolve(this.schemas[schema.$ref.split('/').at(-1)!]!) : schema;
  }

  /** Returns the members that an object of this schema may have, in all its alternatives. */
  membersOf(schema: Schema): [name: string, schema: Schema][] {
    const { properties = {}, anyOf = [], oneOf = [], allOf = [] } = this.resolve(schema);
    return [...Object.entries(properties), ...[...anyOf, ...oneOf, ...allOf].flatMap((part) => this.membersOf(part))];
  }

  /** Whether the schema, its items or one of its alternatives accepts a text. */
  takesText(schema: Schema): boolean {
    const { type, anyOf = [], oneOf = [], items } = this.resolve(schema);
    if ([type].flat().includes('string')) return true;
    return [...anyOf, ...oneOf, ...(items ? [items] : [])].some((part) => this.takesText(part));
  }

  isList(schema: Schema): boolean {
    const { type, anyOf = [] } = this.resolve(schema);
    return [type].flat().includes('array') || anyOf.some((part) => this.isList(part));
  }
}
