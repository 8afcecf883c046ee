import { Controller, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { text } from '../route/answer.js';
import { Route } from '../route/route.js';
import { MetricsRegistry } from '../telemetry/metrics.js';
import { metricsErrors } from './metrics.errors.js';
import { MetricsGuard } from './metrics.guard.js';

const EXAMPLE = `# HELP slipway_http_requests_running Requests that have not been answered yet.
# TYPE slipway_http_requests_running gauge
slipway_http_requests_running 3
`;

@ApiTags('Health')
@Controller()
export class MetricsController {
  constructor(private readonly registry: MetricsRegistry) {}

  @Route('GET /metrics', {
    access: 'public',
    summary: 'Read the metrics of this process, for Prometheus',
    description:
      'The request has to come from the machine on which the process runs, or send the setting `METRICS_TOKEN` as `Authorization: Bearer …`.',
    returns: text(MetricsRegistry.PROMETHEUS_CONTENT_TYPE, EXAMPLE),
    errors: [metricsErrors.denied],
  })
  @UseGuards(MetricsGuard)
  read() {
    return this.registry.metrics();
  }
}
