import type { EntityClass } from '@mikro-orm/postgresql';
import { defineList, type RequestOf } from '../../platform/list/list.js';
import { ConversationEvent } from './conversation-event.entity.js';

/** The number of an event identifies it in its conversation, so no statement reads an id. */
const Event = ConversationEvent as unknown as EntityClass<ConversationEvent & { readonly id: string }>;

/** The messages of a conversation, or the entries of its agents. Either is read by a statement. */
export const conversationEventList = defineList(Event, {
  key: 'seq',
  sorts: { seq: 'seq' },
  limits: { default: 100, max: 1_000 },
});
export type ConversationEventsRequest = RequestOf<typeof conversationEventList>;
