import { z } from 'zod';
import { type Id, toId } from '../../kernel/ids.js';
import { isJsonObject, parseJson } from '../../kernel/json.js';
import { count, id, moment, timestamp, wholeNumber } from '../../kernel/schema.js';
import type { ReadObservation } from './observation.repository.js';
import { idOfTrace } from './report-of-span.js';
import { toTraceTree } from './trace-tree.js';
import type { FoundTrace } from './trace-search.statements.js';

const OTEL_TRACE_ID = /^[0-9a-f]{32}$/i;

/** Reads the id of a trace in a path, which may be the id of Slipway or the one of OpenTelemetry. */
export function traceIdIn(projectId: Id<'project'>, text: string): Id<'trace'> {
  return OTEL_TRACE_ID.test(text) ? idOfTrace(projectId, text.toLowerCase()) : toId('trace', text);
}

const text = (example: string) => z.string().meta({ examples: [example] });
const nonEmptyText = z.string().min(1).max(256);

export const TracesQuery = z
  .strictObject({
    fromDate: moment
      .meta({ examples: ['2026-11-20T00:00:00Z'] })
      .optional()
      .describe('Finds traces that began at this time or later. The default is 24 hours before toDate.'),
    toDate: moment
      .meta({ examples: ['2026-11-21T00:00:00Z'] })
      .optional()
      .describe('Finds traces that began before this time. The default is the present.'),
    sessionId: nonEmptyText.optional().describe('The id of the session, exactly as it was sent.'),
    name: nonEmptyText.optional().describe('The exact name of the root observation.'),
    status: z
      .enum(['success', 'failed'])
      .optional()
      .describe('The status of the trace. A trace has failed if any of its observations has failed.'),
    spanId: z
      .string()
      .regex(/^[0-9a-f]{16}$/i, 'must be 16 hexadecimal digits')
      .toLowerCase()
      .optional()
      .describe('The id in OpenTelemetry of one of the trace’s spans.')
      .meta({ examples: ['00f067aa0ba902b7'] }),
    cursor: z.string().min(1).max(200).optional().describe('The `nextCursor` of the previous page.'),
    limit: wholeNumber(1, 100).prefault(20),
  })
  .refine(({ fromDate, toDate }) => !fromDate || !toDate || fromDate < toDate, {
    path: ['fromDate'],
    error: 'must be before toDate',
  });
export type TracesQuery = z.output<typeof TracesQuery>;

const status = z.enum(['success', 'failed']);
const latencyMs = z
  .number()
  .min(0)
  .meta({ examples: [1240] });

const traceMembers = {
  traceId: id('trace'),
  otelTraceId: z
    .string()
    .nullable()
    .describe(
      'The id of the trace in OpenTelemetry. It is null if the service itself or an earlier release recorded the trace.',
    )
    .meta({ examples: ['4bf92f3577b34da6a3ce929d0e0e4736'] }),
  name: text('chat gpt-4o').describe('The name of the root observation.'),
  status: status.describe('The status of the trace. It has failed if any of its observations has failed.'),
  sessionId: text('s-0VJ8kQ2xT4bN7mRw1ZcYp3').describe('The id of the session, or an empty text if none was sent.'),
  startedAt: timestamp,
  endedAt: timestamp,
  latencyMs,
  observationCount: count(1),
};

const TraceInList = z.object(traceMembers).meta({ id: 'TraceInList' });

export const TraceList = z
  .object({
    traces: z.array(TraceInList),
    nextCursor: z
      .string()
      .nullable()
      .describe(
        'The `cursor` of the next page, or null on the last one. A page may have fewer traces than requested, or none, although there are more.',
      )
      .meta({ examples: [null] }),
  })
  .meta({ id: 'TraceList' });

const Message = z.looseObject({ role: z.string(), content: z.unknown() });

const ObservationView = z
  .object({
    observationId: id('observation'),
    otelSpanId: z
      .string()
      .nullable()
      .meta({ examples: ['00f067aa0ba902b7'] }),
    parentObservationId: id('observation')
      .nullable()
      .describe('The parent, or null if the observation is a root or its parent has not arrived.')
      .meta({ examples: [null] }),
    type: z.enum(['GENERATION', 'SPAN']),
    name: text('chat gpt-4o'),
    status,
    statusMessage: text(''),
    startedAt: timestamp,
    endedAt: timestamp,
    latencyMs,
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
    tokenUsage: z
      .object({ input: z.int(), output: z.int(), total: z.int() })
      .nullable()
      .describe('The tokens of a GENERATION. They are null for a SPAN, as is its cost.')
      .meta({ examples: [{ input: 812, output: 96, total: 908 }] }),
    cost: z
      .number()
      .nullable()
      .meta({ examples: [0.00299] }),
    attributes: z.record(z.string(), z.unknown()).meta({ examples: [{ 'gen_ai.operation.name': 'chat' }] }),
  })
  .meta({ id: 'TraceObservation' });

export const TraceView = z
  .object({
    ...traceMembers,
    isComplete: z
      .boolean()
      .describe(
        'Whether the answer has all observations and texts. Observations after the first 1,000 are left out, and texts after the first 4 MiB.',
      )
      .meta({ examples: [true] }),
    observations: z.array(ObservationView).describe('The observations in the order in which they began.'),
  })
  .meta({ id: 'Trace' });

export function toTraceInList(trace: FoundTrace): z.output<typeof TraceInList> {
  const { id: traceId, otelId, name, status: outcome, sessionId, startedAt, endedAt, observationCount } = trace;
  return {
    traceId,
    otelTraceId: otelId,
    name,
    status: outcome,
    sessionId,
    startedAt: startedAt.toISOString(),
    endedAt: endedAt.toISOString(),
    latencyMs: endedAt.getTime() - startedAt.getTime(),
    observationCount,
  };
}

/** A trace with its observations, as far as the limits of an answer allow. */
export interface TraceRead {
  trace: FoundTrace;
  observations: ReadObservation[];
  isComplete: boolean;
}

export function toTraceView({ trace, observations, isComplete }: TraceRead): z.output<typeof TraceView> {
  return { ...toTraceInList(trace), isComplete, observations: toObservations(trace, observations) };
}

function toObservations(trace: FoundTrace, rows: ReadObservation[]): z.output<typeof ObservationView>[] {
  return toTraceTree(trace, rows).observations.map((observation) => ({
    ...observation,
    startedAt: observation.startedAt.toISOString(),
    endedAt: observation.endedAt.toISOString(),
    input: observation.type === 'GENERATION' ? messagesIn(observation.input) : observation.input,
  }));
}

/** The input of a model call is stored as a list of messages. Anything else that a sender wrote becomes one message. */
export function messagesIn(input: string | null): z.output<typeof Message>[] {
  if (input === null) return [];
  const messages = parseJson(input);
  return isMessages(messages) ? messages : [{ role: 'user', content: input }];
}

function isMessages(given: unknown): given is z.output<typeof Message>[] {
  return Array.isArray(given) && given.every((each) => isJsonObject(each) && typeof each.role === 'string');
}
