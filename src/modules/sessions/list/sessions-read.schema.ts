import { z } from 'zod';
import { count, id, moment, nameUpTo, timestamp, wholeNumber } from '../../../kernel/schema.js';
import { ENVIRONMENT_NAMES } from '../../tenancy/app.entity.js';
import type { ObservationNode, TraceTree } from '../../traces/traces.service.js';
import { messagesIn } from '../../traces/traces.schema.js';
import type { SessionRow } from '../session.entity.js';
import { ownReference, text } from '../session-views.schema.js';

const amount = (example: number) =>
  z
    .number()
    .min(0)
    .meta({ examples: [example] });

export const SessionsQuery = z.strictObject({
  offset: wholeNumber(0, 1_000_000_000).prefault(0),
  limit: wholeNumber(1, 100).prefault(20),
});
export type SessionsQuery = z.output<typeof SessionsQuery>;

export const ListSessions = z
  .strictObject({
    env_name: z
      .string()
      .toLowerCase()
      .pipe(z.enum([...ENVIRONMENT_NAMES, 'draft']))
      .optional()
      .describe(
        'The environment, in upper or lower case. The default is all environments. `draft` is accepted for older clients, and no session is in it.',
      )
      .meta({ examples: ['production'] }),
    start_time: moment
      .optional()
      .describe('Finds sessions that began at this time or later. The default is 24 hours before end_time.'),
    end_time: moment.optional().describe('Finds sessions that began before this time. The default is the present.'),
    user_reference_id: ownReference.optional(),
    session_reference_id: ownReference.optional(),
    source: nameUpTo(64).optional().describe('The exact source of the sessions.'),
  })
  .superRefine(({ start_time: start, end_time: end }, context) => {
    if (start && end && start >= end)
      context.addIssue({ code: 'custom', path: ['start_time'], message: 'must be before end_time' });
  })
  .meta({ id: 'ListSessions', examples: [{ env_name: 'production' }] });
export type ListSessions = z.output<typeof ListSessions>;

const Status = z.enum(['started', 'idle', 'busy', 'error', 'terminated']);

const Totals = z
  .object({
    turns: count(2),
    calls: count(3),
    input_tokens: count(1_480),
    output_tokens: count(212),
    total_tokens: count(1_692),
    cost: amount(0.0041),
  })
  .describe('The sums over the session’s turns and their calls of models, as the ledger records them.')
  .meta({ id: 'SessionTotals' });

const SessionRowView = z.object({
  session_id: id('session'),
  session_reference_id: text('order-4711').describe('The reference of the session, or an empty text if it has none.'),
  user_reference_id: text('customer-17'),
  env_name: z.enum(ENVIRONMENT_NAMES),
  start_time: timestamp,
  end_time: timestamp.nullable().describe('The time at which the session ended, or null while it is live.'),
  last_activity_at: timestamp,
  source: z
    .string()
    .nullable()
    .meta({ examples: ['AP'] }),
  status: Status,
  totals: Totals,
});

export const SessionList = z
  .object({
    sessions: z.array(SessionRowView),
    total_count: count(1),
  })
  .meta({ id: 'SessionList' });

const INCLUDES = ['traces', 'observations'] as const;

export const DetailsQuery = z.strictObject({
  session_id: z.string().min(1).max(64),
  include: z
    .preprocess((given) => [given].flat(), z.array(z.enum(INCLUDES)).max(10))
    .default([])
    .describe(
      'The parts to add to the answer. The parameter may be repeated. Without it, there are no traces and no observations.',
    ),
  page: wholeNumber(1, 1_000_000).prefault(1).describe('The page of the traces, from 1.'),
  limit: wholeNumber(1, 100).prefault(20).describe('The number of traces on a page.'),
});
export type DetailsQuery = z.output<typeof DetailsQuery>;

const Message = z.looseObject({ role: z.string(), content: z.unknown() });

const ObservationView = z
  .object({
    observation_id: id('observation'),
    type: z.enum(['GENERATION', 'SPAN']),
    name: text('response_generation'),
    status: z.enum(['success', 'failed']),
    start_time: timestamp,
    end_time: timestamp,
    latency: amount(412),
    input: z
      .union([z.array(Message), z.string(), z.null()])
      .describe('The messages of a GENERATION, or an empty list if they are not stored; the text of a SPAN.')
      .meta({ examples: [[{ role: 'user', content: 'Where is my order?' }]] }),
    output: z
      .string()
      .nullable()
      .meta({ examples: ['It was sent yesterday.'] }),
    model: z
      .string()
      .nullable()
      .meta({ examples: ['gpt-4o'] }),
    provider: z
      .string()
      .nullable()
      .meta({ examples: ['openai'] }),
    token_usage: z
      .object({ input: z.int(), output: z.int(), total: z.int() })
      .describe('The tokens of a GENERATION. They are 0 for a SPAN.')
      .meta({ examples: [{ input: 14, output: 9, total: 23 }] }),
    cost: z
      .number()
      .nullable()
      .describe('The cost of a GENERATION. It is null for a SPAN.')
      .meta({ examples: [0.00012] }),
    parent_observation_id: z
      .string()
      .nullable()
      .meta({ examples: [null] }),
  })
  .meta({ id: 'SessionObservation' });

const TraceView = z
  .object({
    trace_id: id('trace'),
    timestamp,
    environment: z.enum(ENVIRONMENT_NAMES),
    user_id: id('user'),
    input: z.string().nullable(),
    output: z.string().nullable(),
    latency: amount(1240),
    app_version_id: z.string().nullable(),
    env_id: id('environment'),
    source: text('AP'),
    observations: z.array(ObservationView),
  })
  .meta({ id: 'SessionTrace' });

export const SessionDetails = z
  .object({
    sessions: z.array(
      z.object({
        session_id: id('session'),
        created_at: timestamp,
        source: text('AP'),
        environment: z.enum(ENVIRONMENT_NAMES),
        user_id: id('user'),
        user_reference: text('customer-17'),
        session_reference: z
          .string()
          .nullable()
          .meta({ examples: ['order-4711'] }),
        app_version_id: z
          .string()
          .nullable()
          .meta({ examples: [null] }),
        latency: amount(2380).describe('The sum of the latencies of the session’s turns.'),
        status: Status,
        totals: Totals,
        traces: z.array(TraceView).meta({ examples: [[]] }),
      }),
    ),
    pagination: z.object({ page: count(1), limit: count(20), total: count(2) }),
  })
  .meta({ id: 'SessionDetails' });

export function toSessionList(sessions: readonly SessionRow[], total: number): z.output<typeof SessionList> {
  const rows = sessions.map((session) => ({
    session_id: session.id,
    session_reference_id: session.reference ?? '',
    user_reference_id: session.userReference,
    env_name: session.environment,
    start_time: session.createdAt.toISOString(),
    end_time: session.endedAt?.toISOString() ?? null,
    last_activity_at: session.lastActivityAt.toISOString(),
    source: session.source,
    status: session.status,
    totals: totalsOf(session),
  }));
  return { sessions: rows, total_count: total };
}

function totalsOf({ turns, llmCalls, inputTokens, outputTokens, cost }: SessionRow): z.output<typeof Totals> {
  return {
    turns,
    calls: llmCalls,
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    cost,
  };
}

export interface Details {
  session: SessionRow;
  traces: readonly TraceTree[];
  total: number;
}

export function toSessionDetails(
  { session, traces, total }: Details,
  { include, page, limit }: DetailsQuery,
): z.output<typeof SessionDetails> {
  const view = {
    session_id: session.id,
    created_at: session.createdAt.toISOString(),
    source: session.source,
    environment: session.environment,
    user_id: session.userId,
    user_reference: session.userReference,
    session_reference: session.reference,
    app_version_id: session.appVersionId,
    latency: session.latencyMs,
    status: session.status,
    totals: totalsOf(session),
    traces: traces.map((trace) => toTraceView(trace, session, include.includes('observations'))),
  };
  return { sessions: [view], pagination: { page, limit, total } };
}

function toTraceView(trace: TraceTree, session: SessionRow, withObservations: boolean): z.output<typeof TraceView> {
  const top = trace.observations.find(({ parentObservationId }) => parentObservationId === null);
  const version = top?.attributes.app_version_id;
  return {
    trace_id: trace.traceId,
    timestamp: trace.startedAt.toISOString(),
    environment: session.environment,
    user_id: session.userId,
    input: trace.input,
    output: trace.output,
    latency: trace.latencyMs,
    app_version_id: typeof version === 'string' ? version : session.appVersionId,
    env_id: session.envId,
    source: session.source,
    observations: withObservations ? trace.observations.map(toObservationView) : [],
  };
}

function toObservationView(observation: ObservationNode): z.output<typeof ObservationView> {
  return {
    observation_id: observation.observationId,
    type: observation.type,
    name: observation.name,
    status: observation.status,
    start_time: observation.startedAt.toISOString(),
    end_time: observation.endedAt.toISOString(),
    latency: observation.latencyMs,
    input: observation.type === 'GENERATION' ? messagesIn(observation.input) : observation.input,
    output: observation.output,
    model: observation.model,
    provider: observation.provider,
    token_usage: observation.tokenUsage ?? { input: 0, output: 0, total: 0 },
    cost: observation.cost,
    parent_observation_id: observation.parentObservationId,
  };
}
