import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { SlipwayError } from '../../kernel/errors.js';
import { currentRequest } from '../context/request-context.js';
import { fromDatabaseFault } from '../database/database.errors.js';
import { OutageLog } from '../database/outage-log.js';
import { metaOf } from '../route/answer.js';
import { problemBody } from '../route/error-body.js';
import { type ErrorShape, DEFAULT_ERROR_SHAPE, statusIn } from '../route/error-shape.js';
import { prefers } from '../route/prefers.js';
import { RouteIndex } from '../route/route-index.js';
import { Log } from '../telemetry/log.js';
import { httpErrors } from '../route/http.errors.js';

/**
 * Turns every error into an answer. An unknown error reaches the client as INTERNAL_ERROR without its text, which may
 * contain secrets.
 */
@Catch()
@Injectable()
export class ErrorFilter implements ExceptionFilter {
  constructor(
    private readonly routes: RouteIndex,
    private readonly outages: OutageLog,
    private readonly log: Log,
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    const hasEnded = response.destroyed || response.writableEnded;
    // The client has left, which makes the work of its request fail. This is no fault of the service.
    if (hasEnded && !(thrown instanceof SlipwayError)) return;

    const error = this.translate(thrown, request);
    if (error.spec.status >= 500 && !this.outages.note(error))
      this.log.error({ err: error.cause ?? error, code: error.spec.code }, error.message);
    if (hasEnded) return;
    if (response.headersSent) {
      // The status has been sent. Cutting the connection is the only way left to show that the answer is incomplete.
      response.destroy();
      return;
    }
    const [route] = this.routes.on(request.path);
    response.set(route?.headers ?? {});
    answer(error, route?.errorShape ?? DEFAULT_ERROR_SHAPE, request, response);
  }

  private translate(thrown: unknown, request: Request): SlipwayError {
    if (thrown instanceof SlipwayError) return thrown;
    const status = statusOf(thrown);
    if (status === 404 || isUndecodablePath(request)) return this.noRoute(request);
    if (status !== undefined && status < 500) return httpErrors.malformedRequest();
    return fromDatabaseFault(thrown) ?? httpErrors.internal({ cause: thrown });
  }

  private noRoute({ method, path }: Request): SlipwayError {
    const verbs = [...new Set(this.routes.on(path).flatMap(({ verb }) => (verb === 'GET' ? ['GET', 'HEAD'] : verb)))];
    const allowed = verbs.join(', ');
    if (verbs.length === 0 || verbs.some((verb) => verb === method)) return httpErrors.routeNotFound({ method });
    return httpErrors.methodNotAllowed({ method, allowed }, { headers: { allow: allowed } });
  }
}

/** Returns the status of an error that Nest, Express or one of its middlewares has thrown. */
function statusOf(thrown: unknown): number | undefined {
  if (thrown instanceof HttpException) return thrown.getStatus();
  const { status } = (thrown ?? {}) as { status?: unknown };
  return typeof status === 'number' ? status : undefined;
}

/** Express refuses such a path with a 400 before it looks for a route, but no route has that path: it is a 404. */
function isUndecodablePath({ path }: Request): boolean {
  try {
    decodeURIComponent(path);
    return false;
  } catch {
    return true;
  }
}

function answer(error: SlipwayError, shape: ErrorShape, request: Request, response: Response): void {
  const { spec, extras } = error;
  const { requestId } = currentRequest()!;
  const retryAfter = extras.retryAfter ?? spec.retryAfter;
  response.status(statusIn(shape, spec, request.method)).set(extras.headers ?? {});
  if (retryAfter !== undefined) response.set('retry-after', String(retryAfter));
  if (spec.status === 401) response.set('www-authenticate', shape.challenge);
  // An answer to HEAD has no body, in which a client could find the code. The type is that of the route's own answers.
  if (request.method === 'HEAD') {
    response.removeHeader('content-type');
    response.set('x-error-code', spec.code).end();
    return;
  }
  if (shape.page) response.vary('accept');
  if (shape.page && prefers(request, 'text/html')) {
    shape.page(error).sendTo(response);
  } else if (prefers(request, 'application/problem+json')) {
    response.type('application/problem+json').send(JSON.stringify(problemBody(error, requestId)));
  } else {
    if (!shape.hasCode) response.set('x-error-code', spec.code);
    response.type('application/json').json(shape.body(error, metaOf(requestId)));
  }
}
