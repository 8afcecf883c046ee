import { z } from 'zod';
import { type TransferType, TRANSFER_TYPES } from './conversation-state.js';

const EXPERIENCES = ['chat', 'voice'] as const;
export const AUTHORS = ['USER', 'AGENT'] as const;
export type Author = (typeof AUTHORS)[number];

const MAX_EVENTS = 100;

const word = z.string().min(1).max(256);
const language = z.string().min(1).max(64);
const experience = z.enum(EXPERIENCES);

/** Objects accept unknown members, because events are stored exactly as the sender's system sends them. */
const participant = z.looseObject({
  identity: word,
  name: word,
  type: z.literal('agent'),
  customFields: z
    .looseObject({})
    .optional()
    .describe('The members agentEmail, queueId and queueName, for the quality module.'),
});

const transfertype = z
  .string()
  .refine(
    (text) => TRANSFER_TYPES.includes(text.toUpperCase() as TransferType),
    'must be one of NA, COLD, WARM, redial',
  )
  .describe('One of NA, COLD, WARM and redial, in upper or lower case.');

const transferEvent = z.looseObject({
  name: z.literal('INTERNAL_TRANSFER_EVENT'),
  transfertype,
  transition: z.enum(['entry', 'exit']),
  isExtAD: z.union([z.boolean(), z.string().max(256)], {
    error: ({ input }) => (input === undefined ? 'is required' : 'must be true or false, as a boolean or as text'),
  }),
  language: language.optional(),
  experience,
  reason: z.string().max(1_024).optional(),
  participant,
});
export type TransferEvent = z.output<typeof transferEvent>;

const summaryEvent = z.looseObject({
  name: z.literal('TRIGGER_SUMMARY_EVENT'),
  data: z.looseObject({ language, locale: language, type: language }),
});
export type SummaryEvent = z.output<typeof summaryEvent>;

const endEvent = z.looseObject({
  name: z.literal('END_OF_CONVERSATION'),
  reason: z.string().min(1).max(1_024),
  language,
  experience,
  participant,
});
export type EndEvent = z.output<typeof endEvent>;

const EVENT_NAMES = 'INTERNAL_TRANSFER_EVENT, TRIGGER_SUMMARY_EVENT, END_OF_CONVERSATION';
const event = z.discriminatedUnion('name', [transferEvent, summaryEvent, endEvent], {
  error: (issue) => {
    if (issue.code !== 'invalid_union') return undefined;
    return (issue.input as { name?: unknown }).name === undefined ? 'is required' : `must be one of ${EVENT_NAMES}`;
  },
});
export type HookEvent = z.output<typeof event>;

/** The members of a message. They are required if the call has a `query`. */
const message = z.looseObject({
  query: z.string().min(1).max(100_000),
  agentId: word,
  experience,
  author: z.looseObject({ type: z.enum(AUTHORS) }),
  source: word,
  sendUserMessage: z.boolean(),
  sendAgentMessage: z.boolean(),
  language,
});
export type HookMessage = z.output<typeof message>;

const EXAMPLE_TRANSFER = {
  name: 'INTERNAL_TRANSFER_EVENT',
  transfertype: 'NA',
  transition: 'entry',
  isExtAD: 'false',
  language: 'en',
  experience: 'chat',
  participant: { identity: 'agent-17', name: 'Ada', type: 'agent' },
};

/** Administrators read a conversation by its id in the path, where these two mean a folder. */
const conversationId = word.refine((id) => id !== '.' && id !== '..', 'must not be . or ..');

export const HookCall = z
  .looseObject({
    conversationId: conversationId.describe(
      'The id of the conversation. It does not change while the conversation lasts.',
    ),
    botId: word.describe('The same bot as in the path.'),
    query: z
      .string()
      .optional()
      .describe('The text of a message. It makes the call a message, which needs the other members of a message.'),
    agentId: z.string().optional(),
    experience: z.string().optional().describe('Either `chat` or `voice`.'),
    author: z.looseObject({ type: z.string().describe('Either `USER` or `AGENT`.') }).optional(),
    source: z.string().optional(),
    sendUserMessage: z.boolean().optional(),
    sendAgentMessage: z.boolean().optional(),
    language: z.string().optional(),
    events: z
      .array(event)
      .max(MAX_EVENTS)
      .optional()
      .describe('The events of the conversation. The list may be empty if the call has a message.'),
  })
  // The check runs even if other members are invalid, so that one answer reports all faults, each path once.
  .superRefine(checkMessage, { when: () => true })
  .meta({
    id: 'HookCall',
    examples: [{ conversationId: 'call-4711', botId: 'st-0VJ8kQ2xT4bN7mRw1ZcYp3', events: [EXAMPLE_TRANSFER] }],
  });
export type HookCall = z.output<typeof HookCall>;

export const HookTaken = z.object({ STATUS: z.literal('OK') }).meta({ id: 'HookTaken', examples: [{ STATUS: 'OK' }] });

function checkMessage(call: unknown, context: z.core.$RefinementCtx): void {
  if (typeof call !== 'object' || call === null || Array.isArray(call)) return;
  const { query, events } = call as { query?: unknown; events?: unknown };
  const known = new Set(context.issues.map(({ path }) => path?.[0]));
  const add = (path: PropertyKey[], text: string) => {
    if (!known.has(path[0])) context.addIssue({ code: 'custom', path, message: text });
  };
  if (query === undefined && events === undefined) add(['query'], 'is required if there are no events');
  if (query === undefined && Array.isArray(events) && events.length === 0)
    add(['events'], 'must have at least one event if there is no query');
  if (query === undefined) return;
  for (const issue of message.safeParse(call).error?.issues ?? []) add(issue.path, issue.message);
}

/** Returns the message of a call, if it has one. The validation has checked its members. */
export function messageIn(call: HookCall): HookMessage | undefined {
  return call.query === undefined ? undefined : (call as HookMessage & HookCall);
}
