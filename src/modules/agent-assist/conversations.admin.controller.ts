import { Controller, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { AdminActor } from '../../kernel/actor.js';
import type { Id } from '../../kernel/ids.js';
import { mapPage } from '../../kernel/page.js';
import { Administrator } from '../../platform/auth/callers.js';
import { data, page, streamed } from '../../platform/route/answer.js';
import { PathId } from '../../platform/route/path-id.js';
import { AdminRoute } from '../../platform/route/route.js';
import { agentAssistErrors } from './agent-assist.errors.js';
import { conversationList, type ConversationsRequest } from './conversation.list.js';
import { conversationEventList, type ConversationEventsRequest } from './conversation-event.list.js';
import {
  ConversationDetailsView,
  ConversationGone,
  ConversationView,
  MessageView,
  SegmentView,
  TimelineQuery,
  toConversationView,
  toDetailsView,
  toEventView,
  toMessageView,
  toSegmentView,
  toSummaryView,
} from './conversations.admin.schema.js';
import { ConversationsService, type ExportLines } from './conversations.service.js';

const CONVERSATION = '/bots/{botId}/conversations/{conversationId}';
const notFound = [agentAssistErrors.botNotFound, agentAssistErrors.conversationNotFound];

const EXPORT: ExportLines = {
  head: (conversation) => ({ conversation: toConversationView(conversation) }),
  summary: (summary) => ({ summary: toSummaryView(summary) }),
  event: (event) => ({ event: toEventView(event) }),
};

@ApiTags('Administration: agent assist')
@Controller()
export class ConversationsAdminController {
  constructor(private readonly conversations: ConversationsService) {}

  @AdminRoute('GET /bots/{botId}/conversations', {
    summary: 'List and search the conversations of a bot, by default newest first',
    returns: page(ConversationView),
    errors: [agentAssistErrors.botNotFound],
  })
  async list(@PathId('bot') botId: Id<'bot'>, @Query({ schema: conversationList.query }) query: ConversationsRequest) {
    return mapPage(await this.conversations.list(botId, query), toConversationView);
  }

  @AdminRoute(`GET ${CONVERSATION}`, {
    summary: 'Read a conversation with its state, a page of its timeline, and its summaries',
    returns: data(ConversationDetailsView),
    errors: notFound,
  })
  async read(
    @PathId('bot') botId: Id<'bot'>,
    @Param('conversationId') conversationId: string,
    @Query({ schema: TimelineQuery }) query: TimelineQuery,
  ) {
    return toDetailsView(await this.conversations.read({ botId, conversationId }, query));
  }

  @AdminRoute(`GET ${CONVERSATION}/transcript`, {
    summary: 'Read the messages of a conversation, by default in order',
    returns: page(MessageView),
    errors: notFound,
  })
  async transcript(
    @PathId('bot') botId: Id<'bot'>,
    @Param('conversationId') conversationId: string,
    @Query({ schema: conversationEventList.query }) query: ConversationEventsRequest,
  ) {
    return mapPage(await this.conversations.transcript({ botId, conversationId }, query), toMessageView);
  }

  @AdminRoute(`GET ${CONVERSATION}/segments`, {
    summary: 'Read which agents took part in a conversation, and when each came and left',
    returns: page(SegmentView),
    errors: notFound,
  })
  async segments(
    @PathId('bot') botId: Id<'bot'>,
    @Param('conversationId') conversationId: string,
    @Query({ schema: conversationEventList.query }) query: ConversationEventsRequest,
  ) {
    return mapPage(await this.conversations.segments({ botId, conversationId }, query), toSegmentView);
  }

  @AdminRoute(`GET ${CONVERSATION}/export`, {
    summary: 'Export a whole conversation as one JSON value per line',
    description: 'The conversation comes first, then its summaries, then every event of its timeline.',
    returns: streamed('application/x-ndjson', '{"conversation":{"conversationId":"call-4711","status":"ended"}}\n'),
    errors: notFound,
  })
  export(@PathId('bot') botId: Id<'bot'>, @Param('conversationId') conversationId: string) {
    return this.conversations.export({ botId, conversationId }, EXPORT);
  }

  @AdminRoute(`DELETE ${CONVERSATION}`, {
    summary: 'Delete a conversation with all its messages, events and summaries',
    returns: data(ConversationGone),
    errors: notFound,
  })
  async delete(
    @Administrator() actor: AdminActor,
    @PathId('bot') botId: Id<'bot'>,
    @Param('conversationId') conversationId: string,
  ) {
    return this.conversations.delete(actor, { botId, conversationId }).then(() => ({ botId, conversationId }));
  }
}
