import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { Request, Response } from 'express';
import { firstValueFrom, from, type Observable } from 'rxjs';
import { isJsonObject } from '../../kernel/json.js';
import { findJsonFaults } from '../../kernel/json-rules.js';
import { KeyRecheck } from '../auth/key-recheck.js';
import { currentRequest, type RequestContext } from '../context/request-context.js';
import { OwnWrites } from '../database/replica/own-writes.js';
import { checkIdempotencyKey, Idempotency, NO_KEY } from '../idempotency/idempotency.js';
import { OpenStreams } from '../rate-limit/open-streams.js';
import { metaOf } from '../route/answer.js';
import type { RouteDescription } from '../route/route-description.js';
import { routeOf } from '../route/route.js';
import type { StreamedBody } from '../route/body-format.js';
import { checkMediaType, onStall, discardBody, hasBody, readBody } from './body.js';
import { RequestSlots } from './request-slots.js';
import { letTakeLong } from './long-requests.js';
import { type DeclaredSchemas, declaredSchemas } from './declared-schemas.js';
import { check, type Issue, validationError } from '../route/validation.js';

/**
 * Reads and checks the input of every route's method, and makes the declared answer from its result. The interceptor
 * runs after the guards, so that no body is read for a stranger. It replaces Nest's pipes because they stop at the
 * first faulty argument, while this interceptor reports all faults at once.
 */
@Injectable()
export class RequestInterceptor implements NestInterceptor {
  private readonly schemas = new WeakMap<object, DeclaredSchemas>();

  constructor(
    private readonly recheck: KeyRecheck,
    private readonly idempotency: Idempotency,
    private readonly streams: OpenStreams,
    private readonly slots: RequestSlots,
    private readonly ownWrites: OwnWrites,
    private readonly modules: ModuleRef,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = currentRequest()!;
    return from(request.unlessAborted(this.answer(context, next, request)));
  }

  private async answer(context: ExecutionContext, next: CallHandler, request: RequestContext): Promise<unknown> {
    const route = routeOf(context);
    request.route = route;
    const sent = context.switchToHttp().getRequest<Request>();
    sent.res!.set(route.headers);
    const idempotencyKey = await this.readAndCheck(sent, this.schemasOf(context), route);
    const isWrite = !READING.has(sent.method);
    if (route.returns.isEventStream?.(sent.body)) {
      this.countStream(request, sent.res!);
      if (isWrite) await this.ownWrites.noteUntilClosed(request.actor, sent.res!);
    }
    const handle = () => firstValueFrom<unknown>(next.handle());
    const handleOnce = () =>
      idempotencyKey === undefined
        ? handle()
        : this.idempotency.once(idempotencyKey, request.actor!, route, context, handle);
    const result = route.access === 'public' ? await handleOnce() : await this.slots.run(request, handleOnce);
    if (isWrite) await this.ownWrites.note(request.actor);
    if (!route.survivesRevocation) await this.recheck.beforeAnswer(request);
    if (route.statusOf) sent.res!.status(route.statusOf(result));
    return route.returns.wrap(result, metaOf(request.requestId));
  }

  private countStream(request: RequestContext, response: Response): void {
    // If the client has left already, the response emits no 'close', and the stream would be counted forever.
    request.throwIfAborted();
    if (request.actor?.kind === 'key') this.streams.enter(request.actor, response);
  }

  /** Returns the request's `Idempotency-Key` if the route takes one. */
  private async readAndCheck(
    request: Request,
    schemas: DeclaredSchemas,
    { bodies, streamedBody, rowsValidatedByHandler, takesIdempotencyKey }: RouteDescription,
  ): Promise<string | undefined> {
    const key = takesIdempotencyKey ? checkIdempotencyKey(request.headers['idempotency-key']) : NO_KEY;
    // Express parses the query each time the property is read.
    const sentQuery = request.query;
    const query = check(schemas.query, sentQuery);
    const queryIssues = [...findJsonFaults(sentQuery), ...query.issues];
    const sentBody = streamedBody
      ? await this.receiveStream(request, streamedBody, [...queryIssues, ...key.issues])
      : isBodyIgnored(request, schemas)
        ? await discardBody(request)
        : await readBody(request, bodies);
    const context = currentRequest()!;
    await context.giveWay();
    const body = check(schemas.body, sentBody);
    await context.giveWay();
    const bodyFaults = findJsonFaults(without(rowsValidatedByHandler, sentBody));
    const issues = [...queryIssues, ...bodyFaults, ...body.issues, ...key.issues];
    if (issues.length > 0) throw validationError(issues);
    Object.defineProperty(request, 'query', { value: query.value });
    request.body = body.value;
    await context.giveWay();
    // The handler answers 404 for a hidden id. A repeat would get what the caller was answered while it saw the row.
    if (currentRequest()?.hidesPathIds) return undefined;
    return takesIdempotencyKey === 'itself' ? undefined : key.value;
  }

  /** A request with faults in its query or headers is refused before its large body is received. */
  private async receiveStream(request: Request, format: StreamedBody, issues: readonly Issue[]): Promise<unknown> {
    if (format.mayBeEmpty && !hasBody(request)) return undefined;
    await checkMediaType(request, format);
    if (issues.length > 0) throw validationError(issues);
    const context = currentRequest()!;
    onStall(request, (error) => (format.isResumable ? request.destroy() : context.abort(error)));
    if (format.isResumable) letTakeLong(request);
    return this.modules.get(format.receiver, { strict: false }).receive(request, request.res!);
  }

  private schemasOf(context: ExecutionContext): DeclaredSchemas {
    const handler = context.getHandler();
    let schemas = this.schemas.get(handler);
    if (!schemas) {
      schemas = declaredSchemas(context.getClass(), handler.name);
      this.schemas.set(handler, schemas);
    }
    return schemas;
  }
}

const READING = new Set(['GET', 'HEAD', 'OPTIONS']);

const BODY_IGNORED = new Set(['GET', 'HEAD', 'OPTIONS', 'DELETE']);

/** Some clients send a form with every request, even with a GET. Refusing it would shut them out. */
function isBodyIgnored({ method }: Request, { takesBody }: DeclaredSchemas): boolean {
  return !takesBody && BODY_IGNORED.has(method);
}

/** Sets the member to null, so that faults in rows that the handler validates itself are not reported here. */
function without(name: string | null, sent: unknown): unknown {
  return name !== null && isJsonObject(sent) ? { ...sent, [name]: null } : sent;
}
