import { z } from 'zod';
import { EXAMPLE_TIME, timestamp } from '../../kernel/schema.js';
import { isStorable } from '../../kernel/storable-text.js';
import { ENVIRONMENT_NAMES } from '../tenancy/app.entity.js';
import { timeOfCall } from './date-time.js';

/** The largest values of a call's members. `count` applies to tokens and milliseconds, which are stored as integers. */
export const CALL_LIMITS = { name: 256, count: 2_147_483_647, cost: 1_000_000_000 };

const text = z
  .string()
  .max(CALL_LIMITS.name)
  .refine(isStorable, 'contains a NUL character or a lone surrogate, which cannot be stored');
const count = z.int().min(0).max(CALL_LIMITS.count);

/** The environment of an app, in upper or lower case. Calls of design time have "". */
const environment = text
  .toLowerCase()
  .pipe(z.enum([...ENVIRONMENT_NAMES, '']))
  .meta({ examples: ['production'] });

const request = z.looseObject({
  model: z.string().optional(),
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown() })),
});

/** The request and the response of the call. Further members are kept. */
const payload = z.looseObject({
  request: z.preprocess(emptyAsNull, request.nullable()).default(null),
  /** An answer of tool calls alone has no text. */
  response: z.looseObject({ text: z.string().nullish() }).nullable().default(null),
});

const setByServer = z.never('is set by the server; take it out').optional();

export const EXAMPLE_CALL = {
  callId: 'call-7f3a',
  timestamp: EXAMPLE_TIME,
  status: 'success',
  model: 'gpt-4o',
  provider: 'openai',
  agentName: 'Returns desk',
  environment: 'production',
  sessionId: 's-0VJ8kQ2xT4bN7mRw1ZcYp3',
  traceId: 't-0VJ8kQ2xT4bN7mRw1ZcYp3',
  inputTokens: 812,
  cachedTokens: 512,
  completionTokens: 96,
  latencyMs: 1240,
  timeToFirstTokenMs: 310,
  streamingUsed: true,
  source: 'runtime',
  sourceSubtype: 'response_generation',
  channel: 'web_chat',
  channelType: 'web_chat',
};

/** A call as its writer sends it. Its members have the names that the ledger's answers use. */
export const GivenCall = z
  .strictObject({
    callId: text.min(1).describe('The name of the call in its project. A second call of the same name is a duplicate.'),
    timestamp: timeOfCall,
    status: z.enum(['success', 'failed']),
    model: text.default('').describe('The model. The default is `unknown`.'),
    provider: text.default('').describe('The provider. The default is `unknown`.'),
    agentName: text
      .default('')
      .describe('The name of the agent. The default is the sourceSubtype, or else the provider.'),
    environment: environment.default(''),
    inputTokens: count.default(0),
    cachedTokens: count.default(0).describe('The cached part of inputTokens.'),
    completionTokens: count.default(0),
    reasoningTokens: count.default(0),
    outputTokens: count
      .optional()
      .describe('The sum of completionTokens and reasoningTokens. Any other value is refused.'),
    totalTokens: z
      .int()
      .min(0)
      .optional()
      .describe('The sum of inputTokens and outputTokens. Any other value is refused.'),
    latencyMs: count.default(0),
    timeToFirstTokenMs: count.nullable().default(null),
    streamingUsed: z.boolean().default(false),
    cost: z
      .number()
      .min(0)
      .max(CALL_LIMITS.cost)
      .optional()
      .describe('The cost of the call. The default is computed from the prices.'),
    sessionId: text.default(''),
    traceId: text.default(''),
    eventId: text.default(''),
    source: text.min(1).optional().describe('The source of the call. The default is `runtime`.'),
    sourceSubtype: text.default('response_generation'),
    sourceId: text.default(''),
    channel: text.default(''),
    channelType: text.default(''),
    statusCode: z
      .int()
      .min(0)
      .max(999)
      .optional()
      .describe('The status of the provider. The default is 200 on success and 500 on failure.'),
    payload: payload.nullish().describe('The request and the response. A payload without both is not stored.'),
    id: setByServer,
    sourceLabel: setByServer,
    sourceSubtypeLabel: setByServer,
    payloadState: setByServer,
  })
  .superRefine((call, context) => {
    const output = call.completionTokens + call.reasoningTokens;
    const total = call.inputTokens + output;
    const fault = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    if (call.cachedTokens > call.inputTokens) fault('cachedTokens', 'is part of inputTokens and cannot be more');
    if (output > CALL_LIMITS.count)
      fault('completionTokens', `and reasoningTokens together must be at most ${CALL_LIMITS.count}`);
    if ((call.outputTokens ?? output) !== output)
      fault('outputTokens', 'must be completionTokens + reasoningTokens, or left out');
    if ((call.totalTokens ?? total) !== total) fault('totalTokens', 'must be inputTokens + outputTokens, or left out');
  });
export type GivenCall = z.output<typeof GivenCall>;

/** Each member has an example of its own, because the OpenAPI document cannot show a whole example with a member `id`. */
const shown = (example: string) => z.string().meta({ examples: [example] });
const tokens = (example: number) =>
  z
    .int()
    .min(0)
    .meta({ examples: [example] });

/** A call as answers show it. */
export const CallView = z
  .strictObject({
    id: shown(`s-0VJ8kQ2xT4bN7mRw1ZcYp3:call-7f3a:${EXAMPLE_TIME}:gpt-4o:openai:812:96:1240:41`),
    model: shown('gpt-4o'),
    agentName: shown('Returns desk'),
    provider: shown('openai'),
    environment: z.enum([...ENVIRONMENT_NAMES, '']),
    status: z.enum(['success', 'failed']),
    inputTokens: tokens(812),
    cachedTokens: tokens(512),
    completionTokens: tokens(96),
    reasoningTokens: tokens(0),
    outputTokens: tokens(96),
    totalTokens: tokens(908),
    latencyMs: tokens(1240),
    timeToFirstTokenMs: tokens(310).nullable(),
    streamingUsed: z.boolean().meta({ examples: [true] }),
    cost: z.number().meta({ examples: [0.00235] }),
    timestamp,
    sessionId: shown('s-0VJ8kQ2xT4bN7mRw1ZcYp3'),
    callId: shown('call-7f3a'),
    traceId: shown('t-0VJ8kQ2xT4bN7mRw1ZcYp3'),
    eventId: shown(''),
    source: shown('runtime').describe('The part of the platform that made the call.'),
    sourceSubtype: shown('response_generation').describe('The purpose of the call within its source.'),
    sourceLabel: shown('Runtime'),
    sourceSubtypeLabel: shown('Response generation'),
    sourceId: shown(''),
    channel: shown('web_chat').optional().describe('The channel. Calls at design time have none.'),
    channelType: shown('web_chat').optional(),
    statusCode: tokens(200).describe('The status with which the model provider answered.'),
    payloadState: z
      .enum(['available', 'omitted', 'missing', 'unknown'])
      .describe(
        'Whether the payload is there. `available`: stored and shown; `omitted`: stored, but hidden by the project’s policy; `missing`: never stored, empty or expired; `unknown`: should be stored, but is not there.',
      ),
    payload: z
      .looseObject({
        request: z
          .looseObject({
            model: z.string().optional().describe('The model, if the writer sent it in the request.'),
            messages: z.array(z.looseObject({ role: z.string(), content: z.unknown() })),
          })
          .nullable(),
        response: z
          .looseObject({
            text: z
              .string()
              .nullish()
              .describe('The text of the answer. It is null or absent if the answer has only tool calls.'),
          })
          .nullable(),
      })
      .optional()
      .describe('The request and the response. Only answers with dataMode=full have them, if they are available.'),
  })
  .meta({ id: 'LlmCall' });

/** Makes null of a side without members, because it says nothing. */
function emptyAsNull(side: unknown): unknown {
  return typeof side === 'object' && side !== null && Object.keys(side).length === 0 ? null : side;
}
