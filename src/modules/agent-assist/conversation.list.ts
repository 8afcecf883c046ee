import { z } from 'zod';
import { moment } from '../../kernel/schema.js';
import { defineList, type RequestOf } from '../../platform/list/list.js';
import { CONVERSATION_STATUSES } from './conversation-state.js';
import { Conversation } from './conversation.entity.js';

const flag = z.enum(['true', 'false']).transform((text) => text === 'true');

/** Its pages are read by a statement, which has the conditions of the filters. */
export const conversationList = defineList(Conversation, {
  sorts: { startedAt: 'startedAt' },
  order: 'desc',
  filters: {
    status: z.enum(CONVERSATION_STATUSES),
    agent: z.string().min(1).describe('The identity of an agent who took part.'),
    text: z.string().min(1).describe('Words of the messages. `"…"` finds a phrase, and `-` excludes a word.'),
    outOfOrder: flag.describe('`true` finds conversations with events out of order, and `false` finds those without.'),
    from: moment.describe('Finds conversations that began at this time or later.'),
    to: moment.describe('Finds conversations that began before this time.'),
  },
});
export type ConversationsRequest = RequestOf<typeof conversationList>;
