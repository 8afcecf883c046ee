import { defineList, type RequestOf } from '../../platform/list/list.js';
import { ConversationEvent } from './conversation-event.entity.js';

/** The messages of a conversation, or the entries of its agents. Either is read by a statement. */
export const conversationEventList = defineList(ConversationEvent, {
  key: 'seq',
  sorts: { seq: 'seq' },
  limits: { default: 100, max: 1_000 },
});
export type ConversationEventsRequest = RequestOf<typeof conversationEventList>;
