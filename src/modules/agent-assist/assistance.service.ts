import type { Transaction } from '../../platform/database/transaction.js';
import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { Proposals, type Utterance } from '../agents/proposals.service.js';
import { isPermanent } from '../gateway/gateway.service.js';
import { Replies } from '../webhooks/callbacks/replies.service.js';
import type { EventKey } from './agent-assist.jobs.js';
import { ConversationEventRepository, type TranscriptRow } from './conversation-event.repository.js';

/** The latest messages are enough to propose a reply, and bound the size of the prompt. */
const MESSAGES_BEFORE = 40;
const MAX_CHARACTERS = 50_000;

/** Asks the bot's agent to propose replies for the people who talk with the user. */
@Injectable()
export class AssistanceService {
  constructor(
    private readonly database: Database,
    private readonly events: ConversationEventRepository,
    private readonly proposals: Proposals,
    private readonly replies: Replies,
  ) {}

  /** Returns null if no reply is needed any more, or the agent cannot give one. Throws if another attempt may succeed. */
  async propose(key: EventKey, signal: AbortSignal): Promise<string | null> {
    const message = await this.database.ask(this.events.toAnswer(key));
    if (!message) return null;
    const before = await this.database.ask(this.events.messagesBefore(key, 0, MESSAGES_BEFORE));
    const conversation = newestThatFit(before.map(toUtterance));
    const { projectId, agentId, said: text } = message;
    const request = { projectId, agentId, conversation, text, sessionId: key.conversationId, signal };
    try {
      return (await this.proposals.propose(request)).trim() || null;
    } catch (error) {
      if (isPermanent(error)) return null;
      throw error;
    }
  }

  /** Stores the reply with its message, and in the same commit adds its delivery to the bot's subscription. */
  async keep(tx: Transaction, key: EventKey, text: string): Promise<void> {
    const message = await tx.ask(this.events.keepProposal(key, text));
    if (!message?.subscriptionId) return;
    const { projectId, subscriptionId } = message;
    const { botId, conversationId, seq } = key;
    await this.replies.add(tx, projectId, subscriptionId, {
      sessionKey: `agent_assist:${projectId}:${botId}:${conversationId}`,
      sessionId: conversationId,
      response: text,
      metadata: { botId, conversationId, seq, agentId: message.agentIdentity, query: message.said },
    });
  }
}

function toUtterance({ author, said: text }: TranscriptRow): Utterance {
  return { role: author === 'USER' ? 'user' : 'agent', text };
}

/** Returns the newest messages that fit, from a user's message on: some models refuse a conversation that they begin. */
function newestThatFit(messages: readonly Utterance[]): Utterance[] {
  let left = MAX_CHARACTERS;
  const from = messages.findLastIndex(({ text }) => (left -= text.length) < 0) + 1;
  const kept = messages.slice(from);
  const first = kept.findIndex(({ role }) => role === 'user');
  return first < 0 ? [] : kept.slice(first);
}
