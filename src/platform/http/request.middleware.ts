import type { NextFunction, Request, Response } from 'express';
import { newId } from '../../kernel/ids.js';
import { containsKey } from '../../kernel/key-format.js';
import { actorLabel } from '../../kernel/actor.js';
import { type RequestContext, runInRequest } from '../context/request-context.js';
import type { Log } from '../telemetry/log.js';

const CORRELATION_ID = /^[A-Za-z0-9._-]{8,128}$/;

/** First of all: gives the request its id, its place in the log, and a signal that ends with its client. */
export function requestMiddleware(log: Log) {
  return (request: Request, response: Response, next: NextFunction): void => {
    const context: RequestContext = {
      requestId: newId('request'),
      correlationId: correlationIdOf(request),
      abort: new AbortController(),
    };
    response.setHeader('x-request-id', context.requestId);
    if (context.correlationId) response.setHeader('x-correlation-id', context.correlationId);

    const begun = performance.now();
    response.once('close', () => {
      const whole = response.writableFinished;
      if (!whole) context.abort.abort(new Error('The client went away'));
      logRequest(log, request, response, context, performance.now() - begun, whole);
    });
    runInRequest(context, next);
  };
}

function correlationIdOf(request: Request): string | undefined {
  const given = request.headers['x-request-id'];
  const isUsable = typeof given === 'string' && CORRELATION_ID.test(given) && !containsKey(given);
  return isUsable ? given : undefined;
}

/** Without the query, and without what in the path is long enough for a key: one may stand there by mistake. */
function logRequest(
  log: Log,
  request: Request,
  response: Response,
  { requestId, correlationId, actor }: RequestContext,
  durationMs: number,
  whole: boolean,
): void {
  log.info(
    {
      requestId,
      correlationId,
      actor: actor && actorLabel(actor),
      method: request.method,
      path: request.path.replace(/[^/]{32,}/g, '***'),
      status: response.statusCode,
      durationMs: Math.round(durationMs * 10) / 10,
      ...(!whole && { cut: true }),
    },
    'request',
  );
}
