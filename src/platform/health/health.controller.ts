import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { httpErrors } from '../http/http.errors.js';
import { Route } from '../http/route.js';
import { Readiness } from './readiness.js';

const Live = z.object({ status: z.literal('ok') }).meta({ id: 'Live', examples: [{ status: 'ok' }] });
const Ready = z
  .object({
    status: z.enum(['ok', 'degraded']),
    checks: z.record(z.string(), z.object({ status: z.enum(['up', 'degraded']) }).catchall(z.unknown())),
  })
  .meta({
    id: 'Ready',
    examples: [
      { status: 'ok', checks: { database: { status: 'up' }, migrations: { status: 'up' }, redis: { status: 'up' } } },
    ],
  });

@ApiTags('Health')
@Controller()
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  @Route('GET /health/live', { access: 'public', summary: 'Whether the process runs', returns: Live })
  live() {
    return { status: 'ok' };
  }

  @Route('GET /health/ready', {
    access: 'public',
    summary: 'Whether the process can serve',
    description: 'Without Redis it can, `degraded`: rate limits are then counted per process.',
    returns: Ready,
    errors: [httpErrors.notReady],
  })
  ready() {
    return this.readiness.check();
  }
}
