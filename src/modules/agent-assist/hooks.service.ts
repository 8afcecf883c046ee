import { Injectable } from '@nestjs/common';
import type { z } from 'zod';
import type { JwtClientActor } from '../../kernel/actor.js';
import { clock } from '../../kernel/clock.js';
import { type Id, toId } from '../../kernel/ids.js';
import { Database } from '../../platform/database/database.js';
import { Statements } from '../../platform/database/statements.js';
import { Jobs } from '../../platform/queue/jobs.js';
import { agentAssistErrors } from './agent-assist.errors.js';
import { proposeReply, summarizeConversation } from './agent-assist.jobs.js';
import { type ConversationState, newState } from './conversation-state.js';
import type { HookCall, HookTaken } from './hooks.schema.js';
import { NewEvents } from './new-events.js';
import { type HeldConversation, holdConversation, writeEvents } from './store.take.js';

/** What contact centres tell of their conversations: taken in any order, kept as rows, and judged by what came before. */
@Injectable()
export class HooksService {
  constructor(
    private readonly database: Database,
    private readonly statements: Statements,
    private readonly jobs: Jobs,
  ) {}

  take(actor: JwtClientActor, botId: Id<'bot'>, call: HookCall): Promise<z.output<typeof HookTaken>> {
    if (toId('bot', call.botId) !== botId) throw agentAssistErrors.botMismatch();
    const { projectId } = actor;
    const { conversationId } = call;
    const key = { botId, conversationId };
    return this.database.transaction(actor, async (em) => {
      const at = clock.now();
      const [held] = await this.statements.runIn<HeldConversation>(em, holdConversation(projectId, key, at));
      if (!held) throw agentAssistErrors.botUnknown();

      const state = held.state === '' ? newState() : (JSON.parse(held.state) as ConversationState);
      const events = new NewEvents(state, call, { at, lastSeq: held.last_seq, isStrict: held.strict });
      await this.statements.writeIn(em, writeEvents(key, state.status, JSON.stringify(state), events, at));
      const toAnswer = held.agent_id === null ? [] : events.toAnswer;
      for (const seq of toAnswer) await this.jobs.add(em, proposeReply, { ...key, seq }, { projectId });
      for (const { seq } of events.summaries)
        await this.jobs.add(em, summarizeConversation, { ...key, seq }, { projectId });
      return { STATUS: 'OK' };
    });
  }
}
