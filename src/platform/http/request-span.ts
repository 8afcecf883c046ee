import { context, SpanStatusCode } from '@opentelemetry/api';
import type { Request, Response } from 'express';
import { actorLabel } from '../../kernel/actor.js';
import type { RequestContext } from '../context/request-context.js';
import { startRequestSpan } from '../telemetry/tracing.js';
import { routeOf } from './http-metrics.js';

/** Runs the rest of a request as a span, which ends when its connection has sent the answer or is closed. */
export function runInRequestSpan(request: Request, response: Response, known: RequestContext, next: () => void): void {
  if (isOfMonitoring(request)) return next();
  const started = startRequestSpan(request.method, request.headers);
  if (!started) return next();
  const { span } = started;
  response.once('close', () => {
    const route = routeOf(request);
    const { statusCode, writableFinished } = response;
    if (route !== 'none') span.updateName(`${request.method} ${route}`).setAttribute('http.route', route);
    span.setAttributes({
      'http.request.method': request.method,
      'http.response.status_code': statusCode,
      'slipway.request.id': known.requestId,
      ...(known.actor && { 'slipway.actor': actorLabel(known.actor) }),
      ...(!writableFinished && { 'slipway.request.cut': true }),
    });
    if (statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  });
  context.with(started.context, next);
}

/** Balancers and Prometheus ask every few seconds, and their requests cause nothing. */
const isOfMonitoring = ({ path }: Request) => path.startsWith('/health/') || path === '/metrics';
