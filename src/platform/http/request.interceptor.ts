import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { ROUTE_ARGS_METADATA, RouteParamtypes } from '@nestjs/common/internal';
import type { Request } from 'express';
import { from, mergeMap, type Observable } from 'rxjs';
import { z } from 'zod';
import { findJsonFaults } from '../../kernel/json-rules.js';
import { readJsonBody } from './json-body.js';
import { check, validationError } from './validation.js';

const MAX_BODY_BYTES = 1024 * 1024;

/** What a route takes that says nothing of a query or a body: none. */
const NOTHING = z.strictObject({}).optional();

/**
 * Reads the body and checks query and body against the schemas that `@Query` and `@Body` name. It stands behind the
 * guards, so that no body is read for a stranger, and before Nest's pipes, which stop at the first faulty argument:
 * here all faults are told at once.
 */
@Injectable()
export class RequestInterceptor implements NestInterceptor {
  private readonly schemas = new WeakMap<object, Schemas>();

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<Request>();
    return from(this.readAndCheck(this.schemasOf(context), request)).pipe(mergeMap(() => next.handle()));
  }

  private async readAndCheck(schemas: Schemas, request: Request): Promise<void> {
    const sent = await readJsonBody(request, MAX_BODY_BYTES);
    const query = check(schemas.query, request.query);
    const body = check(schemas.body, sent);
    const issues = [...findJsonFaults(request.query), ...query.issues, ...findJsonFaults(sent), ...body.issues];
    if (issues.length > 0) throw validationError(issues);
    Object.defineProperty(request, 'query', { value: query.value });
    request.body = body.value;
  }

  private schemasOf(context: ExecutionContext): Schemas {
    const handler = context.getHandler();
    let schemas = this.schemas.get(handler);
    if (!schemas) {
      schemas = declaredSchemas(context.getClass(), handler.name);
      this.schemas.set(handler, schemas);
    }
    return schemas;
  }
}

interface Schemas {
  query: z.ZodType;
  body: z.ZodType;
}

/** What Nest keeps of `@Query({ schema })` and `@Body({ schema })`, under keys such as `3:0`: kind and position. */
export function declaredSchemas(controller: object, method: string): Schemas {
  const declared = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, method) ?? {}) as Record<
    string,
    { schema?: z.ZodType }
  >;
  const schemaOf = (kind: RouteParamtypes) =>
    Object.entries(declared).find(([key]) => key.startsWith(`${kind}:`))?.[1].schema ?? NOTHING;
  return { query: schemaOf(RouteParamtypes.QUERY), body: schemaOf(RouteParamtypes.BODY) };
}
