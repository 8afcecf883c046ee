import { z } from 'zod';
import { count, EXAMPLE_TIME, wholeNumber } from '../../../kernel/schema.js';
import { bound } from '../date-time.js';
import { INTERVALS } from './intervals.js';
import { filters, filtersOfAll, FORWARDS, isForwards } from './ledger-query.schema.js';
import { DIVIDED, MOST_DIVIDED } from './ledger-summary.schema.js';

const asked = {
  fromDate: bound.meta({ description: 'Counts calls at this time or later.', examples: ['2026-11-01T00:00:00Z'] }),
  toDate: bound.meta({ description: 'Counts calls before this time.', examples: ['2026-12-01T00:00:00Z'] }),
  interval: z
    .enum(INTERVALS)
    .default('day')
    .describe('The length of the intervals. They begin at whole hours or days in UTC, and a window has at most 1,000.'),
  groupBy: z
    .enum(DIVIDED)
    .optional()
    .describe('Adds `groups`: the same hours or days of each of the groups with the highest cost.'),
  limit: wholeNumber(1, MOST_DIVIDED).prefault(MOST_DIVIDED).describe('The maximum number of `groups`.'),
};

export const LatencyQuery = z.strictObject({ ...filters, ...asked }).refine(isForwards, FORWARDS);
export type LatencyQuery = z.output<typeof LatencyQuery>;

export const LatencyOfAllQuery = z.strictObject({ ...filtersOfAll, ...asked }).refine(isForwards, FORWARDS);
export type LatencyOfAllQuery = z.output<typeof LatencyOfAllQuery>;

const Percentiles = z
  .object({
    p50: count(1240).describe('Half of the calls took at most this time.'),
    p95: count(3810),
    p99: count(7200),
  })
  .meta({ id: 'LlmPercentiles' });

export const LatencyInterval = z
  .object({
    from: z.iso
      .datetime()
      .describe('The beginning of the hour or day. The first one may begin before the window.')
      .meta({ examples: [EXAMPLE_TIME.replace(/T.*/, 'T00:00:00.000Z')] }),
    calls: count(412),
    failed: count(3),
    latencyMs: Percentiles.nullable().describe('Null if there are no calls.'),
    timeToFirstTokenMs: Percentiles.nullable().describe(
      'The times of calls that were streamed. Null if there are none.',
    ),
  })
  .meta({ id: 'LlmLatencyInterval' });

export const LatencyGroup = z
  .object({
    key: z.string().meta({ examples: ['gpt-5-mini'] }),
    intervals: z.array(LatencyInterval).describe('The intervals in which the group has calls, in order of time.'),
  })
  .meta({ id: 'LlmLatencyGroup' });

export const LedgerLatency = z
  .object({
    success: z.literal(true),
    statusCode: z.literal(200),
    interval: z.enum(INTERVALS).meta({ examples: ['day'] }),
    intervals: z
      .array(LatencyInterval)
      .describe('Every interval of the window in order of time, with or without calls.'),
    groupBy: z.enum(DIVIDED).optional().describe('The member by which calls are grouped, if the request has it.'),
    hasMore: z
      .boolean()
      .optional()
      .meta({ examples: [false] })
      .describe('Whether there are more groups than requested, if the request has `groupBy`.'),
    groups: z
      .array(LatencyGroup)
      .optional()
      .describe('The groups with the highest cost, the highest first, if the request has `groupBy`.'),
  })
  .meta({ id: 'LlmLedgerLatency' });
