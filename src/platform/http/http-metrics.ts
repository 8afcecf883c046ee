import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { defineGauge, defineHistogram } from '../telemetry/metric-definition.js';
import { Metrics } from '../telemetry/metrics.js';

const running = defineGauge('slipway_http_requests_running', {
  help: 'Requests that have not been answered yet.',
});
const durations = defineHistogram('slipway_http_request_duration_seconds', {
  help: 'Seconds from the head of a request to the end of its answer. The status "cut" means that the connection closed before the end.',
  labels: ['method', 'route', 'status'],
  buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
});

/**
 * Measures requests by route. The label is the route and not the path, because clients can send any number of paths.
 */
@Injectable()
export class HttpMetrics {
  constructor(private readonly metrics: Metrics) {}

  begin(): void {
    this.metrics.add(running, 1);
  }

  /** Has to be called exactly once for each `begin`, or the gauge is wrong until the process ends. */
  observe(request: Request, response: Response, milliseconds: number): void {
    this.metrics.add(running, -1);
    const labels = { method: request.method, route: routeOf(request), status: statusOf(response) };
    this.metrics.observe(durations, milliseconds / 1000, labels);
  }
}

/** Returns the documented path, such as `/api/admin/v1/projects/{projectId}`, or `none` if no route has matched. */
export function routeOf({ route }: Request): string {
  const pattern = (route as { path?: unknown } | undefined)?.path;
  return typeof pattern === 'string' ? pattern.replace(/:(\w+)/g, '{$1}') : 'none';
}

function statusOf(response: Response): string {
  return response.writableFinished ? `${Math.floor(response.statusCode / 100)}xx` : 'cut';
}
