import { clock } from '../../../kernel/clock.js';
import { exampleId, type Id, newId } from '../../../kernel/ids.js';
import { exampleOf } from '../../../kernel/schema-example.js';
import type { FinishedTurn } from '../../agents/agents.port.js';
import { AgentMedia, AgentResponse, AgentStatus } from './callback-schemas.js';
import type { NewDelivery } from '../deliveries/delivery.entity.js';
import { type MessageRow, toCanonicalKey } from '../messages/message.entity.js';
import type { WebhookEvent } from '../subscriptions/subscription.entity.js';

export type Callback = Pick<NewDelivery, 'eventId' | 'event' | 'body'>;

const SCHEMAS = { 'agent.response': AgentResponse, 'agent.status': AgentStatus, 'agent.media': AgentMedia };

/** A reply of an agent, and the conversation to which it belongs. */
export interface Reply extends Pick<
  FinishedTurn,
  'status' | 'response' | 'usedFallback' | 'isNewSession' | 'provenance'
> {
  sessionKey: string;
  sessionId: string;
  /** The metadata as JSON text. */
  metadata: string | null;
}

/** Makes the callback with the reply to a message. Its id is the id of the message. */
export function responseCallback({ id, sessionKey, metadata }: MessageRow, turn: FinishedTurn): Callback {
  return replyCallback(id, { ...turn, sessionKey, metadata });
}

export function replyCallback(eventId: Id<'message'>, reply: Reply): Callback {
  const { kind, usedLlmInternally } = reply.provenance;
  const isLlmGenerated = kind === 'llm' || kind === 'mixed';
  const body: AgentResponse = {
    message_id: eventId,
    session_key: reply.sessionKey,
    response: reply.response,
    channel_output: { kind: 'text', text: reply.response },
    outcome: { status: reply.status, usedFallback: reply.usedFallback },
    trace_context: { session_id: reply.sessionId, delivery: 'correlation_only' },
    session_id: reply.sessionId,
    is_new_session: reply.isNewSession,
    response_metadata: {
      isLlmGenerated,
      responseProvenance: { schemaVersion: 1, kind, disclaimerRequired: isLlmGenerated, usedLlmInternally },
    },
  };
  return { eventId, event: 'agent.response', body: withMetadata(body, reply.metadata) };
}

export function statusCallback(message: MessageRow, status: AgentStatus['status']): Callback {
  const eventId = newId('message');
  const body: AgentStatus = {
    event: 'agent.status',
    message_id: eventId,
    related_message_id: message.id,
    status,
    session_key: message.sessionKey,
    session_id: message.sessionId,
    timestamp: clock.now().toISOString(),
  };
  return { eventId, event: 'agent.status', body: withMetadata(body, message.metadata) };
}

export function mediaCallback(message: MessageRow, { kind, url, mimeType }: FinishedTurn['media'][number]): Callback {
  const eventId = newId('message');
  const body: AgentMedia = {
    event: 'agent.media',
    message_id: eventId,
    related_message_id: message.id,
    session_key: message.sessionKey,
    session_id: message.sessionId,
    timestamp: clock.now().toISOString(),
    channel_output: { kind, url, mimeType, text: '' },
  };
  return { eventId, event: 'agent.media', body: withMetadata(body, message.metadata) };
}

/** Makes a callback from the event’s example, with an id of its own. */
export function testCallback(
  event: WebhookEvent,
  projectId: Id<'project'>,
  subscriptionId: Id<'subscription'>,
): Callback {
  const eventId = newId('message');
  const example = exampleOf(SCHEMAS[event]) as object;
  const own = {
    message_id: eventId,
    session_key: toCanonicalKey(projectId, subscriptionId, 'test'),
    ...('timestamp' in example && { timestamp: clock.now().toISOString() }),
    ...('related_message_id' in example && { related_message_id: exampleId('message') }),
  };
  return { eventId, event, body: withMetadata({ ...example, ...own }, '{"test":true}') };
}

/** Returns the members as JSON, with the original text of the metadata at the end. */
function withMetadata(members: object, metadata: string | null): string {
  const { metadata: _, ...others } = members as { metadata?: unknown };
  const json = JSON.stringify(others);
  return metadata === null ? json : `${json.slice(0, -1)},"metadata":${metadata}}`;
}
