import { Body, Controller, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import type { KeyActor } from '../../../kernel/actor.js';
import type { Id } from '../../../kernel/ids.js';
import { authErrors } from '../../../platform/auth/auth.errors.js';
import { CallingKey } from '../../../platform/auth/callers.js';
import { Idempotency } from '../../../platform/idempotency/idempotency.js';
import { plain } from '../../../platform/route/answer.js';
import { PathId } from '../../../platform/route/path-id.js';
import { Route } from '../../../platform/route/route.js';
import { SessionGate } from '../../agents/runs/session-gate.service.js';
import { agentsErrors } from '../../agents/agents.errors.js';
import {
  MessageAccepted,
  messageBody,
  MessageView,
  SendMessage,
  toMessageAccepted,
  toMessageView,
} from './messages.schema.js';
import { MessagesService } from './messages.service.js';
import { webhooksErrors } from '../webhooks.errors.js';

@ApiTags('Webhook channel')
@Controller()
export class MessagesController {
  constructor(
    private readonly messages: MessagesService,
    private readonly idempotency: Idempotency,
    private readonly gate: SessionGate,
  ) {}

  @Route('POST /api/v1/channels/http-async/message', {
    access: 'HTTP_ASYNC_SEND',
    summary: 'Send a message to an agent, whose reply arrives as a callback',
    description:
      'The request is answered once the message is stored. From then on a callback follows, or a failure that this API shows. After a 5xx, or without an answer, send the message again, preferably with an `Idempotency-Key`.',
    bodies: [messageBody],
    rateGroup: 'MESSAGES',
    returns: plain(MessageAccepted),
    status: 202,
    // The handler begins the idempotent transaction itself, because the request has to pass the gate before.
    takesIdempotencyKey: 'itself',
    errors: [
      webhooksErrors.invalidSessionKey,
      authErrors.projectNotFound,
      webhooksErrors.subscriptionNotFound,
      webhooksErrors.subscriptionDisabled,
      agentsErrors.noActiveDeployment,
      agentsErrors.queueFull,
    ],
  })
  async send(@CallingKey() actor: KeyActor, @Req() request: Request, @Body({ schema: SendMessage }) body: SendMessage) {
    const session = JSON.stringify([actor.projectId, body.subscription_id, body.session_key]);
    const accept = async () => toMessageAccepted(await this.messages.accept(actor, body));
    return (await this.gate.pass(session, () => this.idempotency.begin(actor, request, accept))).begun;
  }

  @Route('GET /api/v1/channels/http-async/messages/{messageId}', {
    access: 'HTTP_ASYNC_SEND',
    summary: 'Read the state of a message and of its callbacks',
    rateGroup: 'MESSAGES',
    returns: plain(MessageView),
    errors: [webhooksErrors.messageNotFound],
  })
  async read(@CallingKey() { projectId }: KeyActor, @PathId('message') messageId: Id<'message'>) {
    return toMessageView(await this.messages.follow(projectId, messageId));
  }
}
