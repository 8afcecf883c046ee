import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { SlipwayError } from '../../kernel/errors.js';
import { currentRequest } from '../context/request-context.js';
import { fromDatabaseFault } from '../database/database.errors.js';
import { Log } from '../telemetry/log.js';
import { errorBody, problemBody } from './error-body.js';
import { httpErrors } from './http.errors.js';
import { RouteIndex } from './route-index.js';

/** The one place where an error becomes an answer. What is not known to be ours to tell, is not told. */
@Catch()
@Injectable()
export class ErrorFilter implements ExceptionFilter {
  constructor(
    private readonly routes: RouteIndex,
    private readonly log: Log,
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    if (response.destroyed || response.writableEnded) return;

    const error = this.translate(thrown, request);
    if (error.spec.status >= 500) this.log.error({ err: error.cause ?? error, code: error.spec.code }, error.message);
    if (response.headersSent) {
      // The answer has begun: cutting it is the only way left to say that it is not whole.
      response.destroy();
      return;
    }
    answer(error, request, response);
  }

  private translate(thrown: unknown, request: Request): SlipwayError {
    if (thrown instanceof SlipwayError) return thrown;
    // Nest's own: no route for the path (404), or a path that cannot be decoded (400), which leads nowhere either.
    if (thrown instanceof HttpException && [400, 404].includes(thrown.getStatus())) return this.noRoute(request);
    return fromDatabaseFault(thrown) ?? httpErrors.internal({}, { cause: thrown });
  }

  private noRoute({ method, path }: Request): SlipwayError {
    const verbs = this.routes.verbsOn(path);
    const allowed = verbs.join(', ');
    if (verbs.length === 0 || verbs.some((verb) => verb === method)) return httpErrors.routeNotFound({ method });
    return httpErrors.methodNotAllowed({ method, allowed }, { headers: { allow: allowed } });
  }
}

function answer({ spec, message, extras }: SlipwayError, request: Request, response: Response): void {
  const { requestId } = currentRequest()!;
  response.status(spec.status).set(extras.headers ?? {});
  if (spec.status === 401) response.set('www-authenticate', 'ApiKey realm="slipway", header="x-api-key"');
  if (prefersProblem(request)) {
    response.type('application/problem+json').send(JSON.stringify(problemBody(spec, message, extras, requestId)));
  } else {
    response.json(errorBody(spec, message, extras, requestId));
  }
}

function prefersProblem(request: Request): boolean {
  return request.accepts(['application/json', 'application/problem+json']) === 'application/problem+json';
}
