import { z } from 'zod';
import { count, EXAMPLE_TIME, id, timestamp } from '../../../kernel/schema.js';
import { bound } from '../date-time.js';
import { FORWARDS, isForwards } from '../read/ledger-query.schema.js';
import type { Repricing } from './repricing.entity.js';

export const StartRepricing = z
  .strictObject({ fromDate: bound, toDate: bound })
  .refine(isForwards, FORWARDS)
  .meta({ id: 'StartRepricing', examples: [{ fromDate: '2026-11-01T00:00:00Z', toDate: EXAMPLE_TIME }] });
export type StartRepricing = z.output<typeof StartRepricing>;

export const RepricingView = z
  .object({
    success: z.literal(true),
    statusCode: z.literal(200),
    repricingId: id('repricing'),
    state: z.enum(['IN_PROGRESS', 'SUCCESS', 'FAILED']),
    fromDate: timestamp,
    toDate: timestamp,
    total: count(1200).describe('The number of calls in the window when the repricing was started.'),
    lookedAt: count(400).describe('The number of examined calls. Calls whose writers sent a cost are not examined.'),
    changed: count(25).describe('The number of calls whose cost has changed.'),
    createdAt: timestamp,
    finishedAt: timestamp.nullable(),
  })
  .meta({ id: 'Repricing' });

export function toRepricingView(repricing: Repricing): z.output<typeof RepricingView> {
  return {
    success: true,
    statusCode: 200,
    repricingId: repricing.id,
    state: repricing.state,
    fromDate: repricing.fromDate.toISOString(),
    toDate: repricing.toDate.toISOString(),
    total: repricing.total,
    lookedAt: repricing.lookedAt,
    changed: repricing.changed,
    createdAt: repricing.createdAt.toISOString(),
    finishedAt: repricing.finishedAt?.toISOString() ?? null,
  };
}
