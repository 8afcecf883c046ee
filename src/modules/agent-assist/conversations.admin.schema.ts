import { z } from 'zod';
import { id, timestamp } from '../../kernel/schema.js';
import type { ConversationRow } from './conversation.entity.js';
import { type ConversationEventRow, EVENT_KINDS, type MessageRow } from './conversation-event.entity.js';
import { conversationEventList } from './conversation-event.list.js';
import {
  type ActiveAgent,
  CONVERSATION_STATUSES,
  type ConversationState,
  TRANSFER_TYPES,
} from './conversation-state.js';
import type { ConversationDetails } from './conversations.service.js';
import { AUTHORS } from './hooks.schema.js';
import type { SummaryRow } from './summary.entity.js';
import { VIOLATION_NAMES, VIOLATIONS } from './violations.js';

/** A timeline has one order. */
export const TimelineQuery = conversationEventList.query.omit({ sort: true, order: true });
export type TimelineQuery = z.output<typeof TimelineQuery>;

const conversationId = z.string().meta({ examples: ['call-4711'] });
const seq = z
  .int()
  .describe('The number of the event in its conversation.')
  .meta({ examples: [3] });
const count = z.int().meta({ examples: [1] });
const identity = z.string().meta({ examples: ['agent-17'] });
const agentName = z.string().meta({ examples: ['Ada'] });
const transferType = z.enum(TRANSFER_TYPES).meta({ examples: ['NA'] });
const open = z.record(z.string(), z.unknown());

const ActiveAgentView = z.object({ identity, name: agentName, transferType, since: timestamp });

export const ConversationView = z
  .object({
    conversationId,
    status: z.enum(CONVERSATION_STATUSES).meta({ examples: ['left'] }),
    activeAgents: z.array(ActiveAgentView),
    startedAt: timestamp,
    lastAt: timestamp,
    endedAt: timestamp.nullable(),
    eventCount: count.describe('The number of rows of the timeline. A repeated event has no row of its own.'),
    messageCount: count,
    repeatCount: count.describe('The number of events that were repeated or changed nothing.'),
    violationCount: count.describe('The number of events that came out of order.'),
  })
  .meta({ id: 'AssistConversation' });

const ViolationView = z.object({
  seq,
  code: z.enum(VIOLATION_NAMES).meta({ examples: ['END_BEFORE_LAST_EXIT'] }),
  reason: z.string().meta({ examples: [VIOLATIONS.END_BEFORE_LAST_EXIT] }),
});

const EventView = z.object({
  seq,
  at: timestamp,
  kind: z.enum(EVENT_KINDS).meta({ examples: ['entry'] }),
  agent: z
    .object({ identity, name: z.string().nullable() })
    .nullable()
    .meta({ examples: [{ identity: 'agent-17', name: 'Ada' }] }),
  transferType: transferType.nullable(),
  author: z.enum(AUTHORS).nullable(),
  text: z.string().nullable().describe('The text of a message.'),
  language: z.string().nullable(),
  proposal: z.string().nullable().describe('The reply that the bot’s agent proposes.'),
  activeAgents: z.array(identity).nullable().describe('The agents who were active after the event.'),
  leftAt: timestamp.nullable().describe('The time at which the agent left. Only entries have it.'),
  violations: z.array(ViolationView.omit({ seq: true })),
  repeatCount: count,
  payload: open
    .describe('The event exactly as it was received.')
    .meta({ examples: [{ name: 'INTERNAL_TRANSFER_EVENT' }] }),
  call: open
    .nullable()
    .describe('The members that a call had beside its events. Only the first row of a call has them.'),
});

const SummaryView = z
  .object({
    seq,
    status: z.enum(['pending', 'ready']).meta({ examples: ['ready'] }),
    text: z
      .string()
      .nullable()
      .meta({ examples: ['The order had not arrived. Ada has sent it again.'] }),
    language: z.string().meta({ examples: ['English'] }),
    locale: z.string().meta({ examples: ['en-GB'] }),
    type: z.string().meta({ examples: ['post'] }),
    madeBy: z.enum(['model', 'transcript']).nullable(),
    askedAt: timestamp,
    madeAt: timestamp.nullable(),
  })
  .meta({ id: 'AssistSummary' });

export const ConversationDetailsView = ConversationView.extend({
  timeline: z.array(EventView).describe('A page of the timeline.'),
  nextCursor: z.string().nullable().describe('The `cursor` for the next page of the timeline.'),
  violations: z.array(ViolationView).describe('The first 100 violations.'),
  summaries: z.array(SummaryView).describe('The newest 100 summaries.'),
}).meta({ id: 'AssistConversationDetails' });

export const MessageView = z
  .object({
    seq,
    at: timestamp,
    author: z.enum(AUTHORS).meta({ examples: ['USER'] }),
    agentId: identity,
    text: z.string().meta({ examples: ['Where is my order?'] }),
    language: z.string().meta({ examples: ['en'] }),
    isSent: z
      .boolean()
      .describe(
        'Whether models see the message. This is `sendUserMessage` of a message of a user, and `sendAgentMessage` of one of an agent.',
      )
      .meta({ examples: [true] }),
    proposal: z
      .string()
      .nullable()
      .describe('The reply that the bot’s agent proposes.')
      .meta({ examples: ['It was sent again today and will be with you tomorrow.'] }),
  })
  .meta({ id: 'AssistMessage' });

export const SegmentView = z
  .object({ seq, identity, name: agentName, transferType, enteredAt: timestamp, leftAt: timestamp.nullable() })
  .meta({ id: 'AssistSegment' });

export const ConversationGone = z.object({ botId: id('bot'), conversationId }).meta({ id: 'AssistConversationGone' });

export function toConversationView(row: ConversationRow): z.infer<typeof ConversationView> {
  return {
    conversationId: row.id,
    status: row.status,
    activeAgents: activeIn(row).map(({ identity: agent, name, type, since }) => {
      return { identity: agent, name, transferType: type, since };
    }),
    startedAt: row.startedAt.toISOString(),
    lastAt: row.lastAt.toISOString(),
    endedAt: row.endedAt?.toISOString() ?? null,
    eventCount: row.lastSeq,
    messageCount: row.messages,
    repeatCount: row.repeats,
    violationCount: row.violations,
  };
}

function activeIn({ state }: ConversationRow): ActiveAgent[] {
  return (JSON.parse(state) as ConversationState).active;
}

export function toDetailsView(details: ConversationDetails): z.infer<typeof ConversationDetailsView> {
  return {
    ...toConversationView(details.conversation),
    timeline: details.timeline.items.map(toEventView),
    nextCursor: details.timeline.nextCursor,
    violations: details.violations.flatMap((event) =>
      toEventView(event).violations.map((violation) => ({ seq: event.seq, ...violation })),
    ),
    summaries: details.summaries.map(toSummaryView),
  };
}

export function toEventView(row: ConversationEventRow): z.infer<typeof EventView> {
  return {
    seq: row.seq,
    at: row.at.toISOString(),
    kind: row.kind,
    agent: row.agentIdentity === null ? null : { identity: row.agentIdentity, name: row.agentName },
    transferType: row.transferType,
    author: row.author,
    text: row.said,
    language: row.language,
    proposal: row.proposal,
    activeAgents: row.kind === 'message' || row.kind === 'summary' ? null : row.active,
    leftAt: row.leftAt?.toISOString() ?? null,
    violations: row.violations.map((code) => ({ code, reason: VIOLATIONS[code] })),
    repeatCount: row.repeats,
    payload: JSON.parse(row.payload) as Record<string, unknown>,
    call: row.call === null ? null : (JSON.parse(row.call) as Record<string, unknown>),
  };
}

export function toSummaryView(row: SummaryRow): z.infer<typeof SummaryView> {
  return {
    seq: row.seq,
    status: row.status,
    text: row.text,
    language: row.language,
    locale: row.locale,
    type: row.type,
    madeBy: row.madeBy,
    askedAt: row.askedAt.toISOString(),
    madeAt: row.madeAt?.toISOString() ?? null,
  };
}

export function toMessageView(row: MessageRow): z.infer<typeof MessageView> {
  return {
    seq: row.seq,
    at: row.at.toISOString(),
    author: row.author,
    agentId: row.agentIdentity,
    text: row.said,
    language: row.language,
    isSent: row.isSent,
    proposal: row.proposal,
  };
}

export function toSegmentView(row: ConversationEventRow): z.infer<typeof SegmentView> {
  return {
    seq: row.seq,
    identity: row.agentIdentity!,
    name: row.agentName!,
    transferType: row.transferType!,
    enteredAt: row.at.toISOString(),
    leftAt: row.leftAt?.toISOString() ?? null,
  };
}
