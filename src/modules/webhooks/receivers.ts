import { Injectable } from '@nestjs/common';
import type { Id } from '../../kernel/ids.js';
import { columns, planned, type Sql, sql } from '../../platform/database/sql.js';
import { Statements } from '../../platform/database/statements.js';
import type { EnvironmentName } from '../tenancy/app.entity.js';
import type { Subscription, SubscriptionStatus } from './subscription.entity.js';
import type { WebhookEvent } from './webhook-events.js';

/** What of a subscription messages and callbacks have to know. */
export interface Receiver extends Pick<
  Subscription,
  'id' | 'callbackUrl' | 'secretSealed' | 'previousSecretSealed' | 'previousSecretUntil' | 'failures' | 'provedAt'
> {
  appId: Id<'app'>;
  environment: EnvironmentName;
  events: WebhookEvent[];
  status: SubscriptionStatus;
}

/** What tells how many callbacks may be under way to it. */
export type ProvedReceiver = Pick<Receiver, 'provedAt'>;

const RECEIVER = columns<Receiver>({
  id: 'id',
  appId: 'app_id',
  environment: 'environment',
  callbackUrl: 'callback_url',
  events: 'events',
  status: 'status',
  secretSealed: 'secret_sealed',
  previousSecretSealed: 'previous_secret_sealed',
  previousSecretUntil: 'previous_secret_until',
  failures: 'failures',
  provedAt: 'proved_at',
});

/** Asked with every message and callback, so without the entity. */
@Injectable()
export class Receivers {
  constructor(private readonly statements: Statements) {}

  byId(subscriptionId: Id<'subscription'>): Promise<Receiver | null> {
    return this.find(sql`id = ${subscriptionId}`);
  }

  inProject(projectId: Id<'project'>, subscriptionId: Id<'subscription'>): Promise<Receiver | null> {
    return this.find(sql`id = ${subscriptionId} and project_id = ${projectId}`);
  }

  /** Whose message that is. */
  ofMessage(messageId: Id<'message'>): Promise<Receiver | null> {
    return this.find(sql`id = (select subscription_id from webhook_message where id = ${messageId})`);
  }

  private async find(where: Sql): Promise<Receiver | null> {
    const [receiver] = await this.statements.run<Receiver>(
      planned`select ${RECEIVER} from webhook_subscription where ${where}`,
    );
    return receiver ?? null;
  }
}
