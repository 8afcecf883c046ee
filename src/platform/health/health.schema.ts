import { z } from 'zod';
import type { ReadinessFinding } from '../readiness/readiness-check.js';

export const Live = z.object({ status: z.literal('ok') }).meta({ id: 'Live' });

/** The findings of plugins are checked, because everyone can read them. */
export const Finding = z.union([
  z.strictObject({ status: z.literal('up'), message: z.string().optional() }),
  z.strictObject({ status: z.enum(['degraded', 'down']), message: z.string() }),
]) satisfies z.ZodType<ReadinessFinding>;

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
