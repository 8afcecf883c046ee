import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { ROUTE_ARGS_METADATA, RouteParamtypes } from '@nestjs/common/internal';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Request } from 'express';
import { from, mergeMap, type Observable } from 'rxjs';
import { z } from 'zod';
import { findJsonFaults } from '../../kernel/json-rules.js';
import { sayPlainly } from '../../kernel/validation-messages.js';
import { readJsonBody } from './json-body.js';
import { routeOf } from './route.js';
import { check, validationError } from './validation.js';

interface Schemas {
  query: StandardSchemaV1;
  body: StandardSchemaV1;
}

sayPlainly();

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
    return from(this.readAndCheck(context, request)).pipe(mergeMap(() => next.handle()));
  }

  private async readAndCheck(context: ExecutionContext, request: Request): Promise<void> {
    const { body: bodySchema, query: querySchema } = this.schemasOf(context);
    const sent = await readJsonBody(request, routeOf(context).maxBodyBytes);
    const query = await check(querySchema, request.query);
    const body = await check(bodySchema, sent);
    const issues = [...findJsonFaults(request.query), ...query.issues, ...findJsonFaults(sent), ...body.issues];
    if (issues.length > 0) throw validationError(issues);
    Object.defineProperty(request, 'query', { value: query.value });
    request.body = body.value;
  }

  private schemasOf(context: ExecutionContext): Schemas {
    const handler = context.getHandler();
    const known = this.schemas.get(handler) ?? declaredSchemas(context);
    this.schemas.set(handler, known);
    return known;
  }
}

function declaredSchemas(context: ExecutionContext): Schemas {
  const declared = (Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), context.getHandler().name) ??
    {}) as Record<string, { schema?: StandardSchemaV1 }>;
  const schemaOf = (type: RouteParamtypes) =>
    Object.entries(declared).find(([key]) => key.startsWith(`${type}:`))?.[1].schema ?? NOTHING;
  return { query: schemaOf(RouteParamtypes.QUERY), body: schemaOf(RouteParamtypes.BODY) };
}
