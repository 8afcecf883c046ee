import { z } from 'zod';
import { count, id, timestamp } from '../../../kernel/schema.js';
import {
  identityOf,
  RunSession,
  sessionIdentity,
  sessionSource,
  toRunSession,
  WelcomeEvent,
  welcomeEvent,
} from '../../sessions/session-views.schema.js';
import { ENVIRONMENT_NAMES } from '../../tenancy/app.entity.js';
import { errorOf } from './agent-run.entity.js';
import type { RunDetails } from './runs.service.js';

/** The limit for the body of a request that starts a run. */
export const MAX_RUN_MIB = 20;

const MAX_INPUT = 100_000;

export const StartRun = z
  .strictObject({
    sessionIdentity,
    input: z
      .string()
      .min(1)
      .max(MAX_INPUT)
      .meta({ examples: ['Where is my order?'] }),
    attachments: z
      .array(id('file'))
      .max(100)
      .refine((ids) => new Set(ids).size === ids.length, 'names a file twice')
      .default([])
      .describe('The ids of files that are attached to the session, which the agent reads with this message.')
      .meta({ examples: [[]] }),
    source: sessionSource,
    stream: z
      .boolean()
      .default(false)
      .describe('Whether the answer is sent as server-sent events while it is generated.'),
  })
  .meta({
    id: 'StartRun',
    examples: [
      {
        sessionIdentity: [
          { type: 'sessionReference', value: 'order-4711' },
          { type: 'userReference', value: 'customer-17' },
        ],
        input: 'Where is my order?',
      },
    ],
  });
export type StartRun = z.output<typeof StartRun>;

export const TryVersion = z
  .strictObject({
    ...StartRun.shape,
    environment: z
      .enum(ENVIRONMENT_NAMES)
      .default('development')
      .describe('The environment whose session the message belongs to.')
      .meta({ examples: ['development'] }),
  })
  .meta({
    id: 'TryVersion',
    examples: [{ sessionIdentity: [{ type: 'sessionReference', value: 'try-4711' }], input: 'Where is my order?' }],
  });
export type TryVersion = z.output<typeof TryVersion>;

/** Identifies the session of a request by what the request says about it, without reading the database. */
export function sessionNamed(appId: string, envName: string, { sessionIdentity: entries }: StartRun): string {
  const { reference, sessionId, userReference } = identityOf(entries);
  return JSON.stringify([appId, envName.toLowerCase(), reference ?? sessionId ?? userReference]);
}

export const RunView = z
  .object({
    runId: id('agentRun'),
    status: z
      .enum(['queued', 'running', 'suspended', 'completed', 'failed'])
      .describe(
        'The state of the run. A run that has `failed` has the fallback text as its output. Read a run that has not ended again later.',
      )
      .meta({ examples: ['completed'] }),
    session: RunSession,
    output: z.array(
      z.object({ type: z.literal('text'), content: z.string().meta({ examples: ['It was sent yesterday.'] }) }),
    ),
    events: z.array(WelcomeEvent).meta({ examples: [[]] }),
    usage: z.object({
      calls: count(1).describe('The number of calls of models.'),
      toolCalls: count(0),
      inputTokens: count(14),
      outputTokens: count(9),
      totalTokens: count(23),
      cost: z
        .number()
        .min(0)
        .meta({ examples: [0.0002] }),
      latencyMs: count(412),
    }),
    traceId: id('trace'),
    createdAt: timestamp,
    error: z
      .object({ code: z.string().meta({ examples: ['MODEL_CALL_FAILED'] }), message: z.string() })
      .optional()
      .describe('The error of a failed run.'),
  })
  .meta({ id: 'Run' });
export type RunView = z.output<typeof RunView>;

export function toRunView({ run, session, answer, welcome }: RunDetails): RunView {
  const { id: runId, state, inputTokens, outputTokens, traceId, createdAt, finishedAt } = run;
  const error = errorOf(run);
  return {
    runId,
    status: state,
    session: toRunSession(session),
    output: answer ? [{ type: 'text', content: answer.text }] : [],
    events: welcome === null ? [] : [welcomeEvent(welcome)],
    usage: {
      calls: run.llmCalls,
      toolCalls: run.toolCalls,
      inputTokens,
      outputTokens,
      totalTokens: inputTokens + outputTokens,
      cost: run.cost,
      latencyMs: finishedAt ? finishedAt.getTime() - createdAt.getTime() : 0,
    },
    traceId,
    createdAt: createdAt.toISOString(),
    ...(error && { error }),
  };
}
