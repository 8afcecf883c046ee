import { z } from 'zod';
import { exampleId } from '../../../kernel/ids.js';
import { id, timestamp } from '../../../kernel/schema.js';

const messageId = id('message').describe(
  'The id of the callback, which is also in the header `webhook-id`. Process each id once.',
);
const sessionKey = z
  .string()
  .describe('The canonical session key. A proposal has `agent_assist:` with project, bot and conversation.')
  .meta({ examples: [`http_async:${exampleId('project')}:${exampleId('subscription')}:customer-42`] });
const metadata = z
  .looseObject({})
  .optional()
  .describe('The metadata of the message, byte for byte. They are left out if the message had none.')
  .meta({ examples: [{ ticket: 4711 }] });
const relatedMessageId = id('message').describe(
  'The message that the callback is about, with the id of its acknowledgement.',
);
const sessionId = id('session');
/** The id has no pattern, because contact centres choose the ids of their conversations. */
const conversationId = z
  .string()
  .describe('The id of the session. A proposal to a contact centre has the id of the conversation, as in the ledger.')
  .meta({ examples: [exampleId('session')] });

const PROVENANCE_KINDS = ['llm', 'tool', 'mixed', 'fallback', 'static'] as const;

export const AgentResponse = z
  .object({
    message_id: messageId.describe(
      'The id of the message’s acknowledgement, or an own id of a proposal. It is also in the header `webhook-id`. Process each id once.',
    ),
    session_key: sessionKey,
    response: z.string().meta({ examples: ['Your parcel arrives tomorrow.'] }),
    channel_output: z.object({
      kind: z.literal('text'),
      text: z.string().meta({ examples: ['Your parcel arrives tomorrow.'] }),
    }),
    outcome: z.object({
      status: z
        .enum(['ok', 'failed'])
        .describe('Whether the turn has succeeded. A failed turn is answered with the agent’s fallback text.'),
      usedFallback: z.boolean().meta({ examples: [false] }),
    }),
    trace_context: z.object({ session_id: conversationId, delivery: z.literal('correlation_only') }),
    session_id: conversationId,
    is_new_session: z.boolean().meta({ examples: [true] }),
    response_metadata: z.object({
      isLlmGenerated: z.boolean().meta({ examples: [true] }),
      responseProvenance: z.object({
        schemaVersion: z.literal(1),
        kind: z.enum(PROVENANCE_KINDS).describe('The origin of the text of the reply.'),
        disclaimerRequired: z
          .boolean()
          .describe('Whether a model wrote a part of the text.')
          .meta({ examples: [true] }),
        usedLlmInternally: z
          .boolean()
          .describe('Whether a model was used in the turn.')
          .meta({ examples: [true] }),
      }),
    }),
    metadata,
  })
  .meta({ id: 'AgentResponse' });
export type AgentResponse = z.infer<typeof AgentResponse>;

const TURN_STATUSES = ['processing', 'suspended', 'resumed', 'completed', 'failed'] as const;

export const AgentStatus = z
  .object({
    event: z.literal('agent.status'),
    message_id: messageId,
    related_message_id: relatedMessageId,
    status: z.enum(TURN_STATUSES),
    session_key: sessionKey,
    session_id: sessionId,
    timestamp,
    metadata,
  })
  .meta({ id: 'AgentStatus' });
export type AgentStatus = z.infer<typeof AgentStatus>;

export const AgentMedia = z
  .object({
    event: z.literal('agent.media'),
    message_id: messageId,
    related_message_id: relatedMessageId,
    session_key: sessionKey,
    session_id: sessionId,
    timestamp,
    metadata,
    channel_output: z.object({
      kind: z.enum(['image', 'audio', 'video', 'file']),
      url: z.string().meta({ examples: ['https://example.com/parcel.png'] }),
      mimeType: z.string().meta({ examples: ['image/png'] }),
      text: z.literal(''),
    }),
  })
  .meta({ id: 'AgentMedia' });
export type AgentMedia = z.infer<typeof AgentMedia>;
