import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Id } from '../../../kernel/ids.js';
import { data } from '../../../platform/route/answer.js';
import { PathId } from '../../../platform/route/path-id.js';
import { AdminRoute } from '../../../platform/route/route.js';
import { AdminMessageView, toAdminMessageView } from './messages.admin.schema.js';
import { MessagesService } from './messages.service.js';
import { webhooksErrors } from '../webhooks.errors.js';

@ApiTags('Administration: webhooks')
@Controller()
export class MessagesAdminController {
  constructor(private readonly messages: MessagesService) {}

  @AdminRoute('GET /messages/{messageId}', {
    summary: 'Read a message with its deliveries and every attempt',
    returns: data(AdminMessageView),
    errors: [webhooksErrors.messageNotFound],
  })
  async read(@PathId('message') messageId: Id<'message'>) {
    return toAdminMessageView(await this.messages.followForAdministration(messageId));
  }
}
