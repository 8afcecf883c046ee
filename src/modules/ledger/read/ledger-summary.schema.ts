import { z } from 'zod';
import { wholeNumber } from '../../../kernel/schema.js';
import { filters, FORWARDS, isForwards } from './ledger-query.schema.js';

export const GROUPS = ['hour', 'day', 'model', 'provider', 'agent', 'source', 'session', 'environment'] as const;
export type GroupBy = (typeof GROUPS)[number];

export const groupLimit = wholeNumber(1, 10_000)
  .prefault(1_000)
  .describe(
    'The maximum number of groups. Hours and days come in order of time, all other groups with the highest cost first.',
  );

export const SummaryQuery = z
  .strictObject({
    ...filters,
    groupBy: z
      .enum(GROUPS)
      .default('day')
      .describe(
        'The member by which calls are grouped. Days are days in UTC, and hours have keys such as `2026-11-21T14:00Z`.',
      ),
    limit: groupLimit,
  })
  .refine(isForwards, FORWARDS);
export type SummaryQuery = z.output<typeof SummaryQuery>;

const sum = (example: number) => z.number().meta({ examples: [example] });

export const Group = z
  .object({
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
