import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { Actor } from '../../kernel/actor.js';
import type { Id } from '../../kernel/ids.js';
import type { Page } from '../../kernel/page.js';
import { isStorable } from '../../kernel/storable-text.js';
import { AuditTrail } from '../../platform/audit/audit-trail.js';
import { currentRequest } from '../../platform/context/request-context.js';
import { Database } from '../../platform/database/database.js';
import { Reads } from '../../platform/database/reads.js';
import type { ListRange } from '../../platform/list/list-range.js';
import { agentAssistErrors } from './agent-assist.errors.js';
import { BotsService } from './bots.service.js';
import type { TimelineQuery } from './conversations.admin.schema.js';
import type { ConversationKey, ConversationRow } from './conversation.entity.js';
import { conversationList, type ConversationsRequest } from './conversation.list.js';
import { ConversationRepository } from './conversation.repository.js';
import type { ConversationEventRow, MessageRow } from './conversation-event.entity.js';
import { conversationEventList, type ConversationEventsRequest } from './conversation-event.list.js';
import { ConversationEventRepository } from './conversation-event.repository.js';
import type { SummaryRow } from './summary.entity.js';
import { SummaryRepository } from './summary.repository.js';

export interface ConversationDetails {
  conversation: ConversationRow;
  timeline: Page<ConversationEventRow>;
  violations: ConversationEventRow[];
  summaries: SummaryRow[];
}

const MAX_SHOWN = 100;
const EXPORTED_AT_ONCE = 1_000;
const FIRST_EVENTS: ListRange = { after: null, order: 'asc', limit: MAX_SHOWN };

/** Reads conversations. The cost of a page does not depend on the length of the conversation. */
@Injectable()
export class ConversationsService {
  constructor(
    private readonly reads: Reads,
    private readonly database: Database,
    private readonly audit: AuditTrail,
    private readonly bots: BotsService,
    private readonly conversations: ConversationRepository,
    private readonly events: ConversationEventRepository,
    private readonly summaries: SummaryRepository,
  ) {}

  async list(botId: Id<'bot'>, request: ConversationsRequest): Promise<Page<ConversationRow>> {
    await this.bots.read(botId);
    return conversationList.pageOfRows({ botId }, request, (range) =>
      this.reads.one(this.conversations.listed(botId, request, range)),
    );
  }

  async read(key: ConversationKey, query: TimelineQuery): Promise<ConversationDetails> {
    const conversation = await this.find(key);
    const request = { ...query, sort: 'seq', order: 'asc' } as const;
    return {
      conversation,
      timeline: await conversationEventList.pageOfRows(key, request, (range) =>
        this.reads.one(this.events.timeline(key, range)),
      ),
      violations: await this.reads.one(this.events.violations(key, FIRST_EVENTS)),
      summaries: await this.reads.one(this.summaries.newest(key, MAX_SHOWN)),
    };
  }

  async transcript(key: ConversationKey, request: ConversationEventsRequest): Promise<Page<MessageRow>> {
    await this.find(key);
    return conversationEventList.pageOfRows({ ...key, kind: 'message' }, request, (range) =>
      this.reads.one(this.events.messages(key, range)),
    );
  }

  async segments(key: ConversationKey, request: ConversationEventsRequest): Promise<Page<ConversationEventRow>> {
    await this.find(key);
    return conversationEventList.pageOfRows({ ...key, kind: 'entry' }, request, (range) =>
      this.reads.one(this.events.entries(key, range)),
    );
  }

  /** Streams the conversation, its summaries and its timeline as JSON lines. Pages are read as fast as the client reads. */
  async export(key: ConversationKey, lines: ExportLines): Promise<Readable> {
    const conversation = await this.find(key);
    const summaries = await this.reads.one(this.summaries.newest(key, MAX_SHOWN));
    const request = currentRequest();
    return Readable.from(this.lines(key, lines, conversation, summaries, () => request?.throwIfAborted()));
  }

  async delete(actor: Actor, key: ConversationKey): Promise<void> {
    const { project } = await this.bots.read(key.botId);
    await this.find(key);
    await this.database.transaction(actor, async (tx) => {
      const wasDeleted = await tx.ask(this.conversations.delete(key));
      if (!wasDeleted) throw agentAssistErrors.conversationNotFound();
      const target = { kind: 'assistConversation', targetId: key.conversationId, projectId: project.id };
      this.audit.note(tx, { ...target, change: 'deleted', before: { ...key }, after: null });
    });
  }

  private async *lines(
    key: ConversationKey,
    { head, summary, event }: ExportLines,
    conversation: ConversationRow,
    summaries: SummaryRow[],
    throwIfAborted: () => void,
  ): AsyncGenerator<string> {
    yield toLines([head(conversation), ...summaries.toReversed().map(summary)]);
    for (let after = 0; ;) {
      throwIfAborted();
      const rows = await this.reads.one(this.events.timeline(key, { after, order: 'asc', limit: EXPORTED_AT_ONCE }));
      if (rows.length > 0) yield toLines(rows.map(event));
      if (rows.length < EXPORTED_AT_ONCE) return;
      after = rows.at(-1)!.seq;
    }
  }

  private async find(key: ConversationKey): Promise<ConversationRow> {
    await this.bots.read(key.botId);
    // Conversation ids are arbitrary text, and the statement fails for text that PostgreSQL cannot store.
    const { conversationId } = key;
    const conversation = isStorable(conversationId) ? await this.reads.one(this.conversations.byKey(key)) : null;
    if (!conversation) throw agentAssistErrors.conversationNotFound();
    return conversation;
  }
}

/** Makes the lines of an export. */
export interface ExportLines {
  head: (conversation: ConversationRow) => object;
  summary: (summary: SummaryRow) => object;
  event: (event: ConversationEventRow) => object;
}

function toLines(values: object[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join('');
}
