import { Injectable } from '@nestjs/common';
import type { z } from 'zod';
import type { JwtClientActor } from '../../kernel/actor.js';
import { clock } from '../../kernel/clock.js';
import { type Id, toId } from '../../kernel/ids.js';
import { Database } from '../../platform/database/database.js';
import { Jobs } from '../../platform/queue/jobs.js';
import { agentAssistErrors } from './agent-assist.errors.js';
import { proposeReply, summarizeConversation } from './agent-assist.jobs.js';
import { type ConversationState, newState } from './conversation-state.js';
import { ConversationRepository } from './conversation.repository.js';
import type { HookCall, HookTaken } from './hooks.schema.js';
import { NewEvents } from './new-events.js';

/** Accepts the events of conversations in any order, stores them as rows, and checks each against the events before. */
@Injectable()
export class HooksService {
  constructor(
    private readonly database: Database,
    private readonly conversations: ConversationRepository,
    private readonly jobs: Jobs,
  ) {}

  take(actor: JwtClientActor, botId: Id<'bot'>, call: HookCall): Promise<z.output<typeof HookTaken>> {
    if (toId('bot', call.botId) !== botId) throw agentAssistErrors.botMismatch();
    const { projectId } = actor;
    const { conversationId } = call;
    const key = { botId, conversationId };
    return this.database.transaction(actor, async (tx) => {
      const at = clock.now();
      const locked = await tx.ask(this.conversations.lockOrInsert(projectId, key, at));
      if (!locked) throw agentAssistErrors.botUnknown();

      const state = locked.state === '' ? newState() : (JSON.parse(locked.state) as ConversationState);
      const events = new NewEvents(state, call, { at, lastSeq: locked.lastSeq, isStrict: locked.strict });
      tx.defer(this.conversations.applyEvents(key, state, events, at));
      const messages = locked.agentId === null ? [] : events.messagesToAnswer;
      for (const seq of messages) await this.jobs.add(tx, proposeReply, { ...key, seq }, { projectId });
      for (const { seq } of events.summaries)
        await this.jobs.add(tx, summarizeConversation, { ...key, seq }, { projectId });
      return { STATUS: 'OK' };
    });
  }
}
