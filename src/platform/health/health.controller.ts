import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { httpErrors } from '../route/http.errors.js';
import { plain } from '../route/answer.js';
import { Route } from '../route/route.js';
import { Live, Ready } from './health.schema.js';
import { Readiness } from './readiness.js';

@ApiTags('Health')
@Controller()
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  @Route('GET /health/live', { access: 'public', summary: 'Whether the process runs', returns: plain(Live) })
  live() {
    return { status: 'ok' as const };
  }

  @Route('GET /health/ready', {
    access: 'public',
    summary: 'Whether the process can serve',
    description: 'Without Redis it can, `degraded`: rate limits are then counted per process.',
    returns: plain(Ready),
    errors: [httpErrors.notReady],
  })
  ready() {
    return this.readiness.check();
  }
}
