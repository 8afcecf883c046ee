import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { Actor } from '../../kernel/actor.js';
import type { Id } from '../../kernel/ids.js';
import { parseJson } from '../../kernel/json.js';
import type { Page } from '../../kernel/page.js';
import { isStorable } from '../../kernel/storable-text.js';
import { AuditTrail } from '../../platform/audit/audit-trail.js';
import { currentRequest } from '../../platform/context/request-context.js';
import { Database } from '../../platform/database/database.js';
import { Reads } from '../../platform/database/reads.js';
import type { Statement } from '../../platform/database/statement.js';
import { validationError } from '../../platform/route/validation.js';
import { agentAssistErrors } from './agent-assist.errors.js';
import { BotsService } from './bots.service.js';
import type { ConversationsQuery, TimelineQuery } from './conversations.admin.schema.js';
import type { ConversationKey, ConversationRow } from './conversation.entity.js';
import { ConversationRepository } from './conversation.repository.js';
import type { ConversationEventRow, MessageRow } from './conversation-event.entity.js';
import { ConversationEventRepository, type EventsWanted } from './conversation-event.repository.js';
import type { SummaryRow } from './summary.entity.js';
import { SummaryRepository } from './summary.repository.js';

export interface ConversationDetails {
  conversation: ConversationRow;
  timeline: ConversationEventRow[];
  nextCursor: string | null;
  violations: ConversationEventRow[];
  summaries: SummaryRow[];
}

const MOST_SHOWN = 100;
const EXPORTED_AT_ONCE = 1_000;
const NOTHING_BEFORE = { after: 0, limit: MOST_SHOWN };

const Cursor = z.tuple([z.iso.datetime(), z.string()]);

/** Reads what was told of conversations. Each page costs the same, however long a conversation is. */
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

  async list(botId: Id<'bot'>, { cursor, limit, ...filter }: ConversationsQuery): Promise<Page<ConversationRow>> {
    await this.bots.read(botId);
    const behind = cursor === undefined ? undefined : readCursor(cursor);
    const rows = await this.reads.one(this.conversations.newest(botId, filter, behind, limit + 1));
    const items = rows.slice(0, limit);
    return { items, nextCursor: rows.length > limit ? writeCursor(items.at(-1)!) : null };
  }

  async read(key: ConversationKey, { cursor, limit }: TimelineQuery): Promise<ConversationDetails> {
    const conversation = await this.find(key);
    const page = await this.page((wanted) => this.events.timeline(key, wanted), { after: cursor, limit });
    return {
      conversation,
      timeline: page.items,
      nextCursor: page.nextCursor,
      violations: await this.reads.one(this.events.violations(key, NOTHING_BEFORE)),
      summaries: await this.reads.one(this.summaries.newest(key, MOST_SHOWN)),
    };
  }

  async transcript(key: ConversationKey, { cursor, limit }: TimelineQuery): Promise<Page<MessageRow>> {
    await this.find(key);
    return this.page((wanted) => this.events.messages(key, wanted), { after: cursor, limit });
  }

  async segments(key: ConversationKey, { cursor, limit }: TimelineQuery): Promise<Page<ConversationEventRow>> {
    await this.find(key);
    return this.page((wanted) => this.events.entries(key, wanted), { after: cursor, limit });
  }

  /** The conversation, its summaries and its whole timeline, a JSON value a line, as fast as its reader. */
  async export(key: ConversationKey, lines: ExportLines): Promise<Readable> {
    const conversation = await this.find(key);
    const summaries = await this.reads.one(this.summaries.newest(key, MOST_SHOWN));
    const request = currentRequest();
    return Readable.from(this.lines(key, lines, conversation, summaries, () => request?.throwIfAborted()));
  }

  async delete(actor: Actor, key: ConversationKey): Promise<void> {
    const { project } = await this.bots.read(key.botId);
    await this.find(key);
    await this.database.transaction(actor, async (tx) => {
      const isGone = await tx.ask(this.conversations.delete(key));
      if (!isGone) throw agentAssistErrors.conversationNotFound();
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
      const rows = await this.reads.one(this.events.timeline(key, { after, limit: EXPORTED_AT_ONCE }));
      if (rows.length > 0) yield toLines(rows.map(event));
      if (rows.length < EXPORTED_AT_ONCE) return;
      after = rows.at(-1)!.seq;
    }
  }

  private async page<Row extends ConversationEventRow>(
    events: (wanted: EventsWanted) => Statement<Row[]>,
    { after, limit }: EventsWanted,
  ): Promise<Page<Row>> {
    const rows = await this.reads.one(events({ after, limit: limit + 1 }));
    const items = rows.slice(0, limit);
    return { items, nextCursor: rows.length > limit ? String(items.at(-1)!.seq) : null };
  }

  private async find(key: ConversationKey): Promise<ConversationRow> {
    await this.bots.read(key.botId);
    // Senders name conversations; what the database cannot hold is none of theirs.
    const { conversationId } = key;
    const conversation = isStorable(conversationId) ? await this.reads.one(this.conversations.byKey(key)) : null;
    if (!conversation) throw agentAssistErrors.conversationNotFound();
    return conversation;
  }
}

/** What the lines of an export show. */
export interface ExportLines {
  head: (conversation: ConversationRow) => object;
  summary: (summary: SummaryRow) => object;
  event: (event: ConversationEventRow) => object;
}

function toLines(values: object[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join('');
}

function writeCursor({ startedAt, id }: ConversationRow): string {
  return Buffer.from(JSON.stringify([startedAt.toISOString(), id])).toString('base64url');
}

function readCursor(cursor: string): { startedAt: Date; id: string } {
  const { success, data } = Cursor.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString()));
  if (!success || !isStorable(data[1])) {
    throw validationError([{ path: ['cursor'], message: 'is no cursor; send `meta.nextCursor` as it came' }]);
  }
  return { startedAt: new Date(data[0]), id: data[1] };
}
