import { Body, Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { AdminActor } from '../../../kernel/actor.js';
import type { Id } from '../../../kernel/ids.js';
import { mapPage } from '../../../kernel/page.js';
import { authErrors } from '../../../platform/auth/auth.errors.js';
import { Administrator } from '../../../platform/auth/callers.js';
import { data, page } from '../../../platform/route/answer.js';
import { PathId } from '../../../platform/route/path-id.js';
import { AdminRoute } from '../../../platform/route/route.js';
import { subscriptionList, type SubscriptionsRequest } from './subscription.list.js';
import {
  ChangeSubscription,
  CreateSubscription,
  ReplayBegun,
  ReplayFailedDeliveries,
  RotateSecret,
  SubscriptionGone,
  SubscriptionView,
  SubscriptionWithSecret,
  TestSent,
  TestSubscription,
  toSubscriptionView,
  toSubscriptionWithSecret,
} from './subscriptions.admin.schema.js';
import { SubscriptionsService } from './subscriptions.service.js';
import { webhooksErrors } from '../webhooks.errors.js';

@ApiTags('Administration: webhooks')
@Controller()
export class SubscriptionsAdminController {
  constructor(private readonly subscriptions: SubscriptionsService) {}

  @AdminRoute('POST /projects/{projectId}/webhook-subscriptions', {
    summary: 'Create a webhook subscription; only this answer shows its secret',
    returns: data(SubscriptionWithSecret),
    status: 201,
    errors: [webhooksErrors.invalidCallbackUrl, authErrors.appNotFound],
  })
  async create(
    @Administrator() actor: AdminActor,
    @PathId('project') projectId: Id<'project'>,
    @Body({ schema: CreateSubscription }) body: CreateSubscription,
  ) {
    return toSubscriptionWithSecret(await this.subscriptions.create(actor, projectId, body));
  }

  @AdminRoute('GET /projects/{projectId}/webhook-subscriptions', {
    summary: 'List the webhook subscriptions of a project, by default oldest first',
    returns: page(SubscriptionView),
  })
  async list(
    @PathId('project') projectId: Id<'project'>,
    @Query({ schema: subscriptionList.query }) query: SubscriptionsRequest,
  ) {
    return mapPage(await this.subscriptions.page(projectId, query), toSubscriptionView);
  }

  @AdminRoute('GET /webhook-subscriptions/{subscriptionId}', {
    summary: 'Read a webhook subscription',
    returns: data(SubscriptionView),
    errors: [webhooksErrors.subscriptionNotFound],
  })
  async read(@PathId('subscription') subscriptionId: Id<'subscription'>) {
    return toSubscriptionView(await this.subscriptions.read(subscriptionId));
  }

  @AdminRoute('PATCH /webhook-subscriptions/{subscriptionId}', {
    summary: 'Change, disable or enable a webhook subscription',
    returns: data(SubscriptionView),
    errors: [webhooksErrors.subscriptionNotFound, webhooksErrors.invalidCallbackUrl, authErrors.appNotFound],
  })
  async change(
    @Administrator() actor: AdminActor,
    @PathId('subscription') subscriptionId: Id<'subscription'>,
    @Body({ schema: ChangeSubscription }) body: ChangeSubscription,
  ) {
    return toSubscriptionView(await this.subscriptions.change(actor, subscriptionId, body));
  }

  @AdminRoute('DELETE /webhook-subscriptions/{subscriptionId}', {
    summary: 'Delete a webhook subscription, whose outstanding deliveries fail',
    returns: data(SubscriptionGone),
    errors: [webhooksErrors.subscriptionNotFound],
  })
  async delete(@Administrator() actor: AdminActor, @PathId('subscription') subscriptionId: Id<'subscription'>) {
    return this.subscriptions.delete(actor, subscriptionId).then(() => ({ subscriptionId }));
  }

  @AdminRoute('POST /webhook-subscriptions/{subscriptionId}/rotate-secret', {
    summary: 'Give a subscription a new secret beside the old one',
    description:
      'Until the overlap ends, callbacks have two signatures, so that a receiver with either secret can verify them.',
    returns: data(SubscriptionWithSecret),
    errors: [webhooksErrors.subscriptionNotFound],
  })
  async rotateSecret(
    @Administrator() actor: AdminActor,
    @PathId('subscription') subscriptionId: Id<'subscription'>,
    @Body({ schema: RotateSecret }) { overlapSeconds }: RotateSecret,
  ) {
    return toSubscriptionWithSecret(await this.subscriptions.rotateSecret(actor, subscriptionId, overlapSeconds));
  }

  @AdminRoute('POST /webhook-subscriptions/{subscriptionId}/test', {
    summary: 'Send the receiver a test callback',
    description: 'The `metadata` of the callback is `{"test":true}`. The delivery shows the result.',
    returns: data(TestSent),
    errors: [webhooksErrors.subscriptionNotFound, webhooksErrors.subscriptionDisabled],
  })
  async test(
    @Administrator() actor: AdminActor,
    @PathId('subscription') subscriptionId: Id<'subscription'>,
    @Body({ schema: TestSubscription }) { event }: TestSubscription,
  ) {
    return this.subscriptions
      .test(actor, subscriptionId, event)
      .then(({ id: deliveryId, eventId: messageId }) => ({ deliveryId, messageId }));
  }

  @AdminRoute('POST /webhook-subscriptions/{subscriptionId}/replay-failed', {
    summary: 'Send the failed deliveries of a subscription again',
    description: 'A job does this in steps. The answer has the number of deliveries.',
    returns: data(ReplayBegun),
    errors: [webhooksErrors.subscriptionNotFound, webhooksErrors.subscriptionDisabled],
  })
  async replayFailed(
    @Administrator() actor: AdminActor,
    @PathId('subscription') subscriptionId: Id<'subscription'>,
    @Body({ schema: ReplayFailedDeliveries }) { since }: ReplayFailedDeliveries,
  ) {
    return this.subscriptions
      .replayFailed(actor, subscriptionId, since)
      .then((deliveries) => ({ subscriptionId, deliveries }));
  }
}
