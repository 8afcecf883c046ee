import { newId } from '../../src/kernel/ids.js';
import { ConversationEventRepository } from '../../src/modules/agent-assist/conversation-event.repository.js';
import { ConversationRepository } from '../../src/modules/agent-assist/conversation.repository.js';
import { JwtClientRepository } from '../../src/modules/agent-assist/jwt-client.repository.js';
import { NewEvents } from '../../src/modules/agent-assist/new-events.js';
import { SummaryRepository } from '../../src/modules/agent-assist/summary.repository.js';
import { examplesOf, type Examples } from '../support/statement-examples.js';

const [botId, clientId, now] = [newId('bot'), newId('jwtClient'), new Date()];
const key = { botId, conversationId: 'conversation' };
const event = { ...key, seq: 2 };
const first = { after: null, order: 'asc' as const, limit: 20 };
const later = { after: 20, order: 'desc' as const, limit: 20 };
const begun = { status: 'waiting' as const, active: [], departed: [], asked: [], late: [], endSeq: null };
const nothing = new NewEvents(begun, key, { at: now, lastSeq: 0, isStrict: false });
const byStart = { column: 'started_at', type: 'timestamptz', after: now.toISOString() };
const newest = { order: 'desc' as const, limit: 20, sort: byStart };

export const examples: Examples = {
  ...examplesOf(ConversationEventRepository, (events) => ({
    'timeline (the first page)': events.timeline(key, first),
    'messages (a later page, backwards)': events.messages(key, later),
    'entries (the first page)': events.entries(key, first),
    violations: events.violations(key, first),
    messagesBefore: events.messagesBefore(event, 5, 50),
    agentsBefore: events.agentsBefore(event, 10),
    toAnswer: events.toAnswer(event),
    keepProposal: events.keepProposal(event, 'text'),
  })),
  ...examplesOf(ConversationRepository, (conversations) => ({
    lockOrInsert: conversations.lockOrInsert(newId('project'), key, now),
    applyEvents: conversations.applyEvents(key, begun, nothing, now),
    byKey: conversations.byKey(key),
    'listed (all)': conversations.listed(botId, {}, { ...newest, after: null }),
    'listed (all filters, a later page)': conversations.listed(
      botId,
      { status: 'waiting', agent: 'agent', text: 'text', from: now, to: now, outOfOrder: true },
      { ...newest, after: 'conversation' },
    ),
    delete: conversations.delete(key),
    deleteSome: conversations.deleteSome(botId, 100),
  })),
  ...examplesOf(JwtClientRepository, (clients) => ({
    rowOf: clients.rowOf(clientId),
    lockForUse: clients.lockForUse(clientId),
    useToken: clients.useToken(clientId, 'digest', now),
  })),
  ...examplesOf(SummaryRepository, (summaries) => ({
    newest: summaries.newest(key, 1),
    pending: summaries.pending(event),
    lock: summaries.lock(event),
    keep: summaries.keep(event, { text: 'text', madeBy: 'model' }, now),
  })),
};
