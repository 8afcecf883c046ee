import type { NextFunction, Request, Response } from 'express';
import { actorLabel } from '../../kernel/actor.js';
import { newId } from '../../kernel/ids.js';
import { containsKey } from '../../kernel/key-format.js';
import { RequestContext, runInRequest } from '../context/request-context.js';
import type { RequestLog } from '../telemetry/log.js';
import { drain } from './body.js';
import type { HttpMetrics } from './http-metrics.js';
import { runInRequestSpan } from './request-span.js';
import type { Stopping } from './stopping.js';

interface Outcome {
  method: string;
  path: string;
  status: number;
  durationMs: number;
  isComplete: boolean;
}

const CORRELATION_ID = /^[A-Za-z0-9._-]{8,128}$/;

/**
 * Gives the request its id, its log line, and a signal that is aborted when the client leaves. It is the first
 * middleware, so that every answer has an id.
 */
export function requestMiddleware(log: RequestLog, metrics: HttpMetrics, stopping: Stopping) {
  return (request: Request, response: Response, next: NextFunction): void => {
    const context = new RequestContext(newId('request'), correlationIdOf(request));
    response.setHeader('x-request-id', context.requestId);
    if (context.correlationId) response.setHeader('x-correlation-id', context.correlationId);

    // The client opens a new connection for its next request, and the balancer sends that to another process.
    if (stopping.hasBegun) response.setHeader('connection', 'close');

    const begun = performance.now();
    // A handler of all paths below one cuts that one off.
    const { method, path } = request;
    metrics.begin();
    response.once('close', () => {
      const isComplete = response.writableFinished;
      if (!isComplete) context.abort(new Error('The client closed the connection'));
      const durationMs = performance.now() - begun;
      metrics.observe(request, response, durationMs);
      const line = { method, path, status: response.statusCode, durationMs, isComplete };
      if (!isHealthy(line)) log.info(lineOf(context, line), 'request');
    });
    // The rest of a body is read and dropped, because a client that still writes does not read the answer.
    response.once('finish', () => {
      if (!request.complete) drain(request);
    });
    runInRequest(context, () => runInRequestSpan(request, response, context, next));
  };
}

function correlationIdOf(request: Request): string | undefined {
  const given = request.headers['x-request-id'];
  const isUsable = typeof given === 'string' && CORRELATION_ID.test(given) && !containsKey(given);
  return isUsable ? given : undefined;
}

/** Balancers and supervisors ask every second, and only the other answers are worth a line. */
function isHealthy({ path, status }: Outcome): boolean {
  return path.startsWith('/health/') && status === 200;
}

/** Leaves out the query, and long segments of the path, because a client may have put a key there by mistake. */
function lineOf(
  { requestId, correlationId, actor }: RequestContext,
  { method, path, status, durationMs, isComplete }: Outcome,
): object {
  return {
    requestId,
    correlationId,
    actor: actor && actorLabel(actor),
    method,
    path: path.replace(/[^/]{32,}/g, '***'),
    status,
    durationMs: Math.round(durationMs * 10) / 10,
    ...(!isComplete && { cut: true }),
  };
}
