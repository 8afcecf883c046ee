import { ROUTE_ARGS_METADATA, RouteParamtypes } from '@nestjs/common/internal';
import { z } from 'zod';

export interface DeclaredSchemas {
  query: z.ZodType;
  body: z.ZodType;
  takesBody: boolean;
}

/** The schema of a query or body that a route does not declare: it has to be absent or empty. */
const NOTHING = z.strictObject({}).optional();

/**
 * Returns the schemas of `@Query({ schema })` and `@Body({ schema })`. Nest keeps them under keys such as `3:0`, which
 * are the kind and the position of the argument.
 */
export function declaredSchemas(controller: object, method: string): DeclaredSchemas {
  const declared = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, method) ?? {}) as Record<
    string,
    { schema?: z.ZodType }
  >;
  const schemaOf = (kind: RouteParamtypes) =>
    Object.entries(declared).find(([key]) => key.startsWith(`${kind}:`))?.[1].schema ?? NOTHING;
  const body = schemaOf(RouteParamtypes.BODY);
  return { query: schemaOf(RouteParamtypes.QUERY), body, takesBody: body !== NOTHING };
}
