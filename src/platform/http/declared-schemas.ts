import { ROUTE_ARGS_METADATA, RouteParamtypes } from '@nestjs/common/internal';
import { z } from 'zod';

export interface DeclaredSchemas {
  query: z.ZodType;
  body: z.ZodType;
  takesBody: boolean;
}

/** What a route takes that says nothing of a query or a body: none. */
const NOTHING = z.strictObject({}).optional();

/** What Nest keeps of `@Query({ schema })` and `@Body({ schema })`, under keys such as `3:0`: kind and position. */
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
