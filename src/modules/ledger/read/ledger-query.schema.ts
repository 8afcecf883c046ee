import { z } from 'zod';
import { knownValues, wholeNumber } from '../../../kernel/schema.js';
import { bound } from '../date-time.js';
import { ENVIRONMENT_NAMES } from '../../tenancy/app.entity.js';
import { CallView } from '../call.schema.js';
import { SOURCE_NAMES, SUBTYPE_NAMES } from '../spellings.js';

const MAX_SESSIONS = 10_000;

const sessionIds = z
  .preprocess(splitAtCommas, z.array(z.string()))
  .superRefine((ids, context) => {
    if (ids.includes('')) context.addIssue('has an empty id; take it out');
    if (ids.length > MAX_SESSIONS) context.addIssue(`must have at most ${MAX_SESSIONS} ids; ${ids.length} were given`);
    if (new Set(ids).size < ids.length) context.addIssue('has an id more than once; give each once');
  })
  .describe('Up to 10,000 ids of sessions, each once, separated by commas or in repeated parameters.')
  .meta({ items: { type: 'string', minLength: 1 }, uniqueItems: true, maxItems: MAX_SESSIONS });

function splitAtCommas(given: unknown): unknown {
  if (given === undefined) return undefined;
  return [given].flat().flatMap((text) => (typeof text === 'string' ? text.split(',') : [text]));
}

/** The channels that the specification names. */
const CHANNELS = knownValues(
  ...['http_async', 'email', 'voice_vxml', 'voice_pipeline', 'voice_realtime', 'voice', 'ag_ui', 'a2a'],
  ...['sdk_websocket', 'web_debug', 'web_chat', 'api', 'http'],
);

/** The filters that the list, the exports and the sums share. */
export const filters = {
  fromDate: bound.meta({ description: 'Finds calls at this time or later.', examples: ['2026-01-01T00:00:00Z'] }),
  toDate: bound.meta({ description: 'Finds calls before this time.', examples: ['2100-01-01T00:00:00Z'] }),
  sessionIds: sessionIds.optional(),
  channel: z.string().optional().describe('The channel, exactly as it is stored.').meta(CHANNELS),
  source: z
    .string()
    .optional()
    .describe('The source of the call. Case, `-` and space make no difference. Older spellings are accepted.')
    .meta(knownValues(...SOURCE_NAMES)),
  sourceSubtype: z
    .string()
    .optional()
    .describe(
      'The subtype of the source. Older spellings are accepted. If one has several meanings, the given `source` decides.',
    )
    .meta(knownValues(...SUBTYPE_NAMES)),
  status: z.string().optional().describe('Either `success` or `failed`.').meta(knownValues('success', 'failed')),
  model: z.string().optional().describe('The model. `unknown` finds calls without one.'),
  provider: z.string().optional().describe('The provider. `unknown` finds calls without one.'),
  environment: z
    .string()
    .optional()
    .describe('One of `development`, `staging`, `production` and `working-copy`.')
    .meta(knownValues(...ENVIRONMENT_NAMES)),
  name: z.string().min(1).optional().describe('The effective name of the agent.'),
  channelType: z
    .string()
    .min(1)
    .optional()
    .describe('The type of the channel, exactly as it is stored.')
    .meta(CHANNELS),
};

const { sessionIds: _, ...filtersWithoutSessions } = filters;
/** The filters of calls of all projects. A session belongs to one project. */
export const filtersOfAll = filtersWithoutSessions;

type Window = { fromDate: Date; toDate: Date };

export const isForwards = ({ fromDate, toDate }: Window) => fromDate < toDate;
export const FORWARDS = { path: ['fromDate'], error: 'must be before toDate' };

export const LedgerQuery = z
  .strictObject({
    ...filters,
    limit: wholeNumber(1, 10_000).prefault(100),
    offset: wholeNumber(0).prefault(0),
    dataMode: z
      .enum(['summary', 'full'])
      .default('summary')
      .describe('Whether calls have their payloads: `full` adds each payload that is stored.'),
    sortBy: z.enum(['timestamp', 'latencyMs', 'cost', 'totalTokens']).default('timestamp'),
    sortOrder: z.enum(['asc', 'desc']).default('asc'),
    cursor: z
      .string()
      .min(1)
      .optional()
      .describe('The header `x-next-cursor` of the page before. It replaces `offset`.'),
  })
  .refine(isForwards, FORWARDS)
  .refine(({ cursor, offset }) => cursor === undefined || offset === 0, {
    path: ['offset'],
    error: 'cannot be given with a cursor; leave one of them out',
  });
export type LedgerQuery = z.output<typeof LedgerQuery>;

export const LedgerPage = z
  .strictObject({
    success: z.literal(true),
    statusCode: z.literal(200),
    total: z
      .int()
      .min(0)
      .meta({ examples: [1] })
      .describe('The number of calls that match, on all pages.'),
    limit: z
      .int()
      .min(1)
      .max(10_000)
      .meta({ examples: [100] }),
    offset: z
      .int()
      .min(0)
      .meta({ examples: [0] }),
    dataMode: z.enum(['summary', 'full']),
    hasMore: z
      .boolean()
      .meta({ examples: [false] })
      .describe('Whether there are more pages.'),
    generations: z.array(CallView),
  })
  .meta({ id: 'LlmLedgerPage' });

export const CallQuery = z.strictObject({
  dataMode: z
    .enum(['summary', 'full'])
    .default('summary')
    .describe('Whether the call has its payload: `full` adds it if it is stored.'),
});
export type CallQuery = z.output<typeof CallQuery>;

export const OneCall = z
  .strictObject({ success: z.literal(true), statusCode: z.literal(200), generation: CallView })
  .meta({ id: 'OneLlmCall' });
