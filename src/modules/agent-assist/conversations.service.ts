import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { Actor } from '../../kernel/actor.js';
import type { Id } from '../../kernel/ids.js';
import { parseJson } from '../../kernel/json.js';
import type { Page } from '../../kernel/page.js';
import { AuditTrail } from '../../platform/audit/audit-trail.js';
import { currentRequest } from '../../platform/context/request-context.js';
import { Database } from '../../platform/database/database.js';
import { Reads } from '../../platform/database/reads.js';
import { type Sql, sql } from '../../platform/database/sql.js';
import { Statements } from '../../platform/database/statements.js';
import { validationError } from '../../platform/route/validation.js';
import { agentAssistErrors } from './agent-assist.errors.js';
import { BotsService } from './bots.service.js';
import type { ConversationsQuery, TimelineQuery } from './conversations.admin.schema.js';
import {
  type ConversationRow,
  conversationsOf,
  entriesOf,
  type EventRow,
  type EventsWanted,
  messagesOf,
  oneConversation,
  summariesOf,
  type SummaryRow,
  timelineOf,
  violationsOf,
} from './store.read.js';
import type { ConversationKey } from './store.take.js';

export interface ConversationDetails {
  conversation: ConversationRow;
  timeline: EventRow[];
  nextCursor: string | null;
  violations: EventRow[];
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
    private readonly statements: Statements,
  ) {}

  async list(botId: Id<'bot'>, { cursor, limit, ...filter }: ConversationsQuery): Promise<Page<ConversationRow>> {
    await this.bots.read(botId);
    const behind = cursor === undefined ? undefined : readCursor(cursor);
    const rows = await this.reads.one<ConversationRow>(conversationsOf(botId, filter, behind, limit + 1));
    const items = rows.slice(0, limit);
    return { items, nextCursor: rows.length > limit ? writeCursor(items.at(-1)!) : null };
  }

  async read(key: ConversationKey, { cursor, limit }: TimelineQuery): Promise<ConversationDetails> {
    const conversation = await this.find(key);
    const events = (query: Sql) => this.reads.one<EventRow>(query);
    const page = await this.page(key, timelineOf, { after: cursor, limit });
    return {
      conversation,
      timeline: page.items,
      nextCursor: page.nextCursor,
      violations: await events(violationsOf(key, NOTHING_BEFORE)),
      summaries: await this.reads.one<SummaryRow>(summariesOf(key, MOST_SHOWN)),
    };
  }

  async transcript(key: ConversationKey, { cursor, limit }: TimelineQuery): Promise<Page<EventRow>> {
    await this.find(key);
    return this.page(key, messagesOf, { after: cursor, limit });
  }

  async segments(key: ConversationKey, { cursor, limit }: TimelineQuery): Promise<Page<EventRow>> {
    await this.find(key);
    return this.page(key, entriesOf, { after: cursor, limit });
  }

  /** The conversation, its summaries and its whole timeline, a JSON value a line, as fast as its reader. */
  async export(key: ConversationKey, lines: ExportLines): Promise<Readable> {
    const conversation = await this.find(key);
    const summaries = await this.reads.one<SummaryRow>(summariesOf(key, MOST_SHOWN));
    const request = currentRequest();
    return Readable.from(this.lines(key, lines, conversation, summaries, () => request?.throwIfAborted()));
  }

  async delete(actor: Actor, key: ConversationKey): Promise<void> {
    const { project } = await this.bots.read(key.botId);
    await this.find(key);
    await this.database.transaction(actor, async (em) => {
      const gone = sql`delete from assist_conversation where bot_id = ${key.botId} and id = ${key.conversationId} returning id`;
      const rows = await this.statements.runIn(em, gone);
      if (rows.length === 0) throw agentAssistErrors.conversationNotFound();
      const target = { kind: 'assistConversation', targetId: key.conversationId, projectId: project.id };
      this.audit.note(em, { ...target, change: 'deleted', before: { ...key }, after: null });
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
      const rows = await this.reads.one<EventRow>(timelineOf(key, { after, limit: EXPORTED_AT_ONCE }));
      if (rows.length > 0) yield toLines(rows.map(event));
      if (rows.length < EXPORTED_AT_ONCE) return;
      after = rows.at(-1)!.seq;
    }
  }

  private async page(
    key: ConversationKey,
    query: (key: ConversationKey, wanted: EventsWanted) => Sql,
    { after, limit }: EventsWanted,
  ): Promise<Page<EventRow>> {
    const rows = await this.reads.one<EventRow>(query(key, { after, limit: limit + 1 }));
    const items = rows.slice(0, limit);
    return { items, nextCursor: rows.length > limit ? String(items.at(-1)!.seq) : null };
  }

  private async find(key: ConversationKey): Promise<ConversationRow> {
    await this.bots.read(key.botId);
    // Senders name conversations; what the database cannot hold is none of theirs.
    const { conversationId } = key;
    const isStorable = conversationId.isWellFormed() && !conversationId.includes('\0');
    const [row] = isStorable ? await this.reads.one<ConversationRow>(oneConversation(key)) : [];
    if (!row) throw agentAssistErrors.conversationNotFound();
    return row;
  }
}

/** What the lines of an export show. */
export interface ExportLines {
  head: (conversation: ConversationRow) => object;
  summary: (summary: SummaryRow) => object;
  event: (event: EventRow) => object;
}

function toLines(values: object[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join('');
}

function writeCursor({ started_at: startedAt, id }: ConversationRow): string {
  return Buffer.from(JSON.stringify([startedAt.toISOString(), id])).toString('base64url');
}

function readCursor(cursor: string): { startedAt: Date; id: string } {
  const { success, data } = Cursor.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString()));
  if (!success || !data[1].isWellFormed() || data[1].includes('\0')) {
    throw validationError([{ path: ['cursor'], message: 'is no cursor; send `meta.nextCursor` as it came' }]);
  }
  return { startedAt: new Date(data[0]), id: data[1] };
}
