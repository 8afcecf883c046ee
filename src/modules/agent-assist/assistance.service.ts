import type { Transaction } from '../../platform/database/transaction.js';
import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { Proposals, type Utterance } from '../agents/proposals.service.js';
import { isLasting } from '../gateway/gateway.service.js';
import { Replies } from '../webhooks/callbacks/replies.service.js';
import type { EventKey } from './agent-assist.jobs.js';
import { ConversationEventRepository, type SaidRow } from './conversation-event.repository.js';

/** An agent who answers needs what was said just before, not the whole conversation. */
const MESSAGES_BEFORE = 40;
const MOST_CHARACTERS = 50_000;

/** Has the bot's agent propose replies, for the people who talk with the user. */
@Injectable()
export class AssistanceService {
  constructor(
    private readonly database: Database,
    private readonly events: ConversationEventRepository,
    private readonly proposals: Proposals,
    private readonly replies: Replies,
  ) {}

  /** Nothing where nobody is to answer any more. Throws where the agent may do better a little later. */
  async propose(key: EventKey, signal: AbortSignal): Promise<string | null> {
    const message = await this.database.ask(this.events.toAnswer(key));
    if (!message) return null;
    const before = await this.database.ask(this.events.saidBefore(key, 0, MESSAGES_BEFORE));
    const conversation = newest(before.map(toUtterance));
    const { projectId, agentId, said: text } = message;
    const wish = { projectId, agentId, conversation, text, sessionId: key.conversationId, signal };
    try {
      return (await this.proposals.propose(wish)).trim() || null;
    } catch (error) {
      if (isLasting(error)) return null;
      throw error;
    }
  }

  /** With the message, and in the same commit promised to whoever the bot tells of replies. */
  async keep(tx: Transaction, key: EventKey, text: string): Promise<void> {
    const message = await tx.ask(this.events.keepProposal(key, text));
    if (!message?.subscriptionId) return;
    const { projectId, subscriptionId } = message;
    const { botId, conversationId, seq } = key;
    await this.replies.promise(tx, projectId, subscriptionId, {
      sessionKey: `agent_assist:${projectId}:${botId}:${conversationId}`,
      sessionId: conversationId,
      response: text,
      metadata: { botId, conversationId, seq, agentId: message.agentIdentity, query: message.said },
    });
  }
}

function toUtterance({ author, said: text }: SaidRow): Utterance {
  return { role: author === 'USER' ? 'user' : 'agent', text };
}

/** As many as have room, from a user's on: there are models that take no conversation which the agent begins. */
function newest(said: readonly Utterance[]): Utterance[] {
  let left = MOST_CHARACTERS;
  const from = said.findLastIndex(({ text }) => (left -= text.length) < 0) + 1;
  const kept = said.slice(from);
  const first = kept.findIndex(({ role }) => role === 'user');
  return first < 0 ? [] : kept.slice(first);
}
