import { z } from 'zod';
import { wholeNumber } from '../../../kernel/schema.js';
import { INTERVALS } from './intervals.js';
import { filters, FORWARDS, isForwards } from './ledger-query.schema.js';

export const GROUPS = ['hour', 'day', 'model', 'provider', 'agent', 'source', 'session', 'environment'] as const;
export type GroupBy = (typeof GROUPS)[number];

export const groupLimit = wholeNumber(1, 10_000)
  .prefault(1_000)
  .describe(
    'The maximum number of groups. Hours and days come in order of time, all other groups with the highest cost first.',
  );

/** The groups that can be divided into hours or days. */
export const DIVIDED = ['model', 'provider', 'agent', 'source', 'environment'] as const;
export type Divided = (typeof DIVIDED)[number];

/** The number of groups that are divided, which are more than one can tell apart in a plot. */
export const MOST_DIVIDED = 20;

export const interval = z
  .enum(INTERVALS)
  .optional()
  .describe(
    `Adds to groups their sums by hour or day: to the ${MOST_DIVIDED} models, providers, agents, sources or environments with the highest cost. A window has at most 1,000 hours or days.`,
  );

export function isDivided(groupBy: string): groupBy is Divided {
  return (DIVIDED as readonly string[]).includes(groupBy);
}

export const isDivisible = ({ groupBy, interval }: { groupBy: string; interval?: unknown }) =>
  interval === undefined || isDivided(groupBy);
export const DIVISIBLE = {
  path: ['interval'],
  error: `must be left out unless groupBy is one of ${DIVIDED.join(', ')}`,
};

export const SummaryQuery = z
  .strictObject({
    ...filters,
    groupBy: z
      .enum(GROUPS)
      .default('day')
      .describe(
        'The member by which calls are grouped. Days are days in UTC, and hours have keys such as `2026-11-21T14:00Z`.',
      ),
    interval,
    limit: groupLimit,
  })
  .refine(isForwards, FORWARDS)
  .refine(isDivisible, DIVISIBLE);
export type SummaryQuery = z.output<typeof SummaryQuery>;

const sum = (example: number) => z.number().meta({ examples: [example] });

const sums = {
  key: z.string().meta({ examples: ['2026-11-21'] }),
  calls: sum(2),
  inputTokens: sum(1624),
  cachedTokens: sum(1024),
  completionTokens: sum(192),
  reasoningTokens: sum(0),
  outputTokens: sum(192),
  totalTokens: sum(1816),
  cost: sum(0.0047).describe('The cost in US dollars.'),
  averageLatencyMs: sum(1240),
};

export const GroupInterval = z.object({ ...sums, failed: sum(0) }).meta({ id: 'LlmLedgerGroupInterval' });

export const Group = z
  .object({
    ...sums,
    intervals: z
      .array(GroupInterval)
      .optional()
      .describe(
        'The sums of each hour or day with calls, in order of time, if the request has `interval`. The keys are those of `groupBy=hour` and `groupBy=day`.',
      ),
  })
  .meta({ id: 'LlmLedgerGroup' });

export const LedgerSummary = z
  .object({
    success: z.literal(true),
    statusCode: z.literal(200),
    groupBy: z.enum(GROUPS),
    hasMore: z
      .boolean()
      .meta({ examples: [false] })
      .describe('Whether there are more groups than requested.'),
    groups: z.array(Group),
  })
  .meta({ id: 'LlmLedgerSummary' });
