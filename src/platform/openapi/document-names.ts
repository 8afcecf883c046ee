import { z } from 'zod';
import { StartError } from '../../kernel/start-error.js';
import { declaredSchemas } from '../http/declared-schemas.js';
import { type IndexedRoute, nameOf } from '../route/route-index.js';
import { componentName, type SchemaType } from './json-schema.js';

/** Returns the id of an operation that its route does not name. */
export function operationIdOf(controller: string, method: string): string {
  return `${controller.replace(/Controller$/, '')}_${method}`;
}

/**
 * Throws if the OpenAPI document would have two operations with one id, or if only one of two schemas with one name
 * would be in it. The document itself is made for its first reader, since that takes far longer than this comparison.
 */
export function refuseSharedNames(routes: readonly IndexedRoute[]): void {
  const operations = new Map<string, IndexedRoute>();
  for (const route of routes) {
    const id = route.operationId || operationIdOf(route.controller.constructor.name, route.method);
    const other = operations.get(id);
    if (other)
      throw new StartError(
        `${nameOf(other)} and ${nameOf(route)} both have the operation id ${id}. Rename a class or a method, or give a route an operationId.`,
      );
    operations.set(id, route);
  }
  refuseSharedSchemaNames(routes);
}

function refuseSharedSchemaNames(routes: readonly IndexedRoute[]): void {
  const known = new Map<string, { schema: z.ZodType; route: IndexedRoute }>();
  const seen = { input: new Set<z.ZodType>(), output: new Set<z.ZodType>() };
  for (const route of routes)
    for (const [schemaType, root] of schemasOf(route))
      visit(root, schemaType, seen[schemaType], (id, schema) => {
        const name = componentName(id, schemaType);
        const other = known.get(name);
        if (other && other.schema !== schema)
          throw new StartError(
            `${nameOf(other.route)} and ${nameOf(route)} have two schemas with the name ${name} in the OpenAPI document. Use one schema, or change the id of one of them.`,
          );
        known.set(name, { schema, route });
      });
}

function schemasOf({ controller, method, returns, errorShape }: IndexedRoute): [SchemaType, z.ZodType][] {
  const { query, body } = declaredSchemas(controller.constructor, method);
  const { schema, contentType, hasBody = true } = returns;
  const isShown = hasBody && contentType === undefined;
  return [
    ['input', query],
    ['input', body],
    ...(isShown ? [['output', schema] as [SchemaType, z.ZodType]] : []),
    ['output', errorShape.schema],
  ];
}

/** Calls back for each schema with an id that has not been seen before, in this schema and below. */
function visit(
  schema: z.ZodType,
  schemaType: SchemaType,
  seen: Set<z.ZodType>,
  found: (id: string, schema: z.ZodType) => void,
): void {
  if (seen.has(schema)) return;
  seen.add(schema);
  const id = z.globalRegistry.has(schema) ? z.globalRegistry.get(schema)?.id : undefined;
  if (id !== undefined) found(id, schema);
  for (const inner of innerSchemas(schema, schemaType)) visit(inner, schemaType, seen, found);
}

/** The parts of a schema's definition that are schemas, by its type. */
interface Definition {
  type: string;
  shape: Record<string, z.ZodType>;
  catchall?: z.ZodType;
  element: z.ZodType;
  options: z.ZodType[];
  items: z.ZodType[];
  rest: z.ZodType | null;
  keyType: z.ZodType;
  valueType: z.ZodType;
  innerType?: z.ZodType;
  left: z.ZodType;
  right: z.ZodType;
  in: z.ZodType;
  out: z.ZodType;
  getter(): z.ZodType;
}

function innerSchemas(schema: z.ZodType, schemaType: SchemaType): z.ZodType[] {
  const def = schema.def as unknown as Definition;
  switch (def.type) {
    case 'object':
      return def.catchall ? [...Object.values(def.shape), def.catchall] : Object.values(def.shape);
    case 'array':
      return [def.element];
    case 'union':
      return def.options;
    case 'intersection':
      return [def.left, def.right];
    case 'tuple':
      return def.rest ? [...def.items, def.rest] : def.items;
    case 'record':
    case 'map':
    case 'set':
      return [def.keyType, def.valueType].filter((inner) => inner !== undefined);
    case 'pipe':
      // A preprocessed value is documented as the schema that it has to match afterwards.
      return [schemaType === 'input' && def.in.def.type !== 'transform' ? def.in : def.out];
    case 'lazy':
      return [(schema as z.ZodLazy<z.ZodType>).unwrap()];
    default:
      return def.innerType ? [def.innerType] : [];
  }
}
