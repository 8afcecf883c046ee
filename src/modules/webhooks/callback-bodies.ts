import { clock } from '../../kernel/clock.js';
import { exampleId, type Id, newId } from '../../kernel/ids.js';
import { exampleOf } from '../../kernel/schema-example.js';
import { AgentMedia, AgentResponse, AgentStatus } from './callback-schemas.js';
import type { NewDelivery } from './delivery.entity.js';
import { canonicalKey } from './session-key.js';
import type { WebhookEvent } from './webhook-events.js';

export type Callback = Pick<NewDelivery, 'eventId' | 'event' | 'body'>;

const SCHEMAS = { 'agent.response': AgentResponse, 'agent.status': AgentStatus, 'agent.media': AgentMedia };

/** The event’s example, with an id of its own. */
export function testCallback(
  event: WebhookEvent,
  projectId: Id<'project'>,
  subscriptionId: Id<'subscription'>,
): Callback {
  const eventId = newId('message');
  const example = exampleOf(SCHEMAS[event]) as object;
  const own = {
    message_id: eventId,
    session_key: canonicalKey(projectId, subscriptionId, 'test'),
    ...('timestamp' in example && { timestamp: clock.now().toISOString() }),
    ...('related_message_id' in example && { related_message_id: exampleId('message') }),
  };
  return { eventId, event, body: withMetadata({ ...example, ...own }, '{"test":true}') };
}

/** The members as JSON, and at the end the metadata as it was written. */
export function withMetadata(members: object, metadata: string | null): string {
  const { metadata: _, ...others } = members as { metadata?: unknown };
  const json = JSON.stringify(others);
  return metadata === null ? json : `${json.slice(0, -1)},"metadata":${metadata}}`;
}
