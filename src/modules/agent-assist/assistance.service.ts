import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { SlipwayError } from '../../kernel/errors.js';
import type { Id } from '../../kernel/ids.js';
import type { Sql } from '../../platform/database/sql.js';
import { Statements } from '../../platform/database/statements.js';
import { Turns } from '../agents/turns.service.js';
import type { MessageKey } from './agent-assist.jobs.js';
import { keepProposal, type MessageToAnswer, messageToAnswer } from './store.proposals.js';
import { saidBefore, type SaidRow } from './store.summaries.js';

/** An agent who answers needs what was said just before, not the whole conversation. */
const MESSAGES_BEFORE = 40;

/** Has the bot's agent propose replies, for the people who talk with the user. */
@Injectable()
export class AssistanceService {
  constructor(
    private readonly statements: Statements,
    private readonly turns: Turns,
  ) {}

  /** Nothing where nobody is to answer any more. Throws where the agent may do better a little later. */
  async propose(key: MessageKey, signal: AbortSignal): Promise<string | null> {
    const [message] = await this.read<MessageToAnswer>(messageToAnswer(key));
    if (!message) return null;
    const before = await this.read<SaidRow>(saidBefore(key, 0, MESSAGES_BEFORE));
    const conversation = before.map(({ author, said: text }) => {
      return { role: author === 'USER' ? ('user' as const) : ('agent' as const), text };
    });
    const projectId = message.projectId as Id<'project'>;
    const agentId = message.agentId as Id<'agent'>;
    try {
      const wish = { projectId, agentId, conversation, text: message.said, signal, sessionId: key.conversationId };
      return (await this.turns.propose(wish)).text || null;
    } catch (error) {
      // The agent or its model is gone, or takes no such request: asking again changes nothing.
      if (error instanceof SlipwayError && error.spec.status < 500) return null;
      throw error;
    }
  }

  async keep(em: EntityManager, key: MessageKey, text: string): Promise<void> {
    await this.statements.runIn(em, keepProposal(key, text));
  }

  private read<Row extends object>(query: Sql): Promise<Row[]> {
    const { text, values } = query.toQuery();
    return this.statements.run<Row>(text, values);
  }
}
