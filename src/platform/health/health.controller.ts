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

  @Route('GET /health/live', {
    access: 'public',
    summary: 'Check that the process runs',
    description: 'The check calls no other system. A process that is stopping answers 503.',
    returns: plain(Live),
    errors: [httpErrors.notReady],
  })
  live() {
    return this.readiness.checkAlive();
  }

  @Route('GET /health/ready', {
    access: 'public',
    summary: 'Check that the process can serve requests',
    description:
      'Without Redis, the storage of files or a worker of a Citus cluster, the process can serve and is `degraded`. Each process then counts rate limits by itself, or requests that need files or the ledger of the worker’s projects fail. A process with `JOBS=held` is also `degraded`.',
    returns: plain(Ready),
    errors: [httpErrors.notReady],
  })
  ready() {
    return this.readiness.check();
  }
}
