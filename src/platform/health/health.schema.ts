import { z } from 'zod';

export const Live = z.object({ status: z.literal('ok') }).meta({ id: 'Live' });

export const Ready = z
  .object({
    status: z.enum(['ok', 'degraded']),
    checks: z.record(z.string(), z.object({ status: z.enum(['up', 'degraded']), message: z.string().optional() })),
  })
  .meta({
    id: 'Ready',
    examples: [
      {
        status: 'ok',
        checks: {
          database: { status: 'up' },
          migrations: { status: 'up' },
          storage: { status: 'up' },
          redis: { status: 'up' },
        },
      },
    ],
  });
