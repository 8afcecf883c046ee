import { z } from 'zod';
import { exampleId, type Id, toId } from '../../../kernel/ids.js';
import { displayName as name, EXAMPLE_TIME, id, moment, timestamp } from '../../../kernel/schema.js';
import { shownOnce } from '../../../platform/route/shown-once.js';
import { ENVIRONMENT_NAMES } from '../../tenancy/app.entity.js';
import { pauseEndOf, type Subscription, SUBSCRIPTION_STATUSES, WEBHOOK_EVENTS } from './subscription.entity.js';
import type { WithSecret } from './subscriptions.service.js';

const displayName = name.meta({ examples: ['CRM'] });
const callbackUrl = z
  .string()
  .min(1)
  .max(2_048)
  .describe(
    'An https address without user name and password. An http address is accepted only if OUTBOUND_ALLOW_CIDRS allows it.',
  )
  .meta({ examples: ['https://crm.example.com/slipway'] });
const events = z
  .array(z.enum(WEBHOOK_EVENTS))
  .min(1)
  .refine((named) => new Set(named).size === named.length, 'names an event twice')
  .meta({ examples: [['agent.response', 'agent.status']] });
const appId = id('app')
  .transform((text): Id<'app'> => toId('app', text))
  .describe('The app whose agent answers. It may be left out if the project has only one app.');
const environment = z
  .preprocess((given) => (typeof given === 'string' ? given.toLowerCase() : given), z.enum(ENVIRONMENT_NAMES))
  .meta({ examples: ['production'] });

export const CreateSubscription = z
  .strictObject({
    displayName,
    callbackUrl,
    events,
    appId: appId.optional(),
    environment: environment.default('production'),
  })
  .meta({
    id: 'CreateWebhookSubscription',
    examples: [
      {
        displayName: 'CRM',
        callbackUrl: 'https://crm.example.com/slipway',
        events: ['agent.response', 'agent.status'],
      },
    ],
  });
export type CreateSubscription = z.output<typeof CreateSubscription>;

export const ChangeSubscription = z
  .strictObject({
    displayName: displayName.optional(),
    callbackUrl: callbackUrl.optional(),
    events: events.optional(),
    appId: appId.optional(),
    environment: environment.optional(),
    status: z
      .enum(SUBSCRIPTION_STATUSES)
      .optional()
      .describe('The status of the subscription. ACTIVE also enables one that was disabled automatically.'),
  })
  .meta({ id: 'ChangeWebhookSubscription', examples: [{ events: ['agent.response'], status: 'ACTIVE' }] });
export type ChangeSubscription = z.output<typeof ChangeSubscription>;

export const RotateSecret = z
  .strictObject({
    overlapSeconds: z
      .int()
      .min(0)
      .max(7 * 24 * 3_600)
      .default(24 * 3_600)
      .describe('The seconds for which callbacks also have a signature with the old secret.'),
  })
  .prefault({})
  .meta({ id: 'RotateWebhookSecret', examples: [{ overlapSeconds: 3600 }] });
export type RotateSecret = z.output<typeof RotateSecret>;

export const TestSubscription = z
  .strictObject({
    event: z
      .enum(WEBHOOK_EVENTS)
      .optional()
      .describe('The event to send. The default is the first one that the subscription receives.'),
  })
  .prefault({})
  .meta({ id: 'TestWebhookSubscription', examples: [{ event: 'agent.response' }] });
export type TestSubscription = z.output<typeof TestSubscription>;

export const ReplayFailedDeliveries = z
  .strictObject({
    since: moment
      .prefault('1970-01-01T00:00:00Z')
      .describe('Sends the deliveries that failed at this time or later. The default is all failed deliveries.')
      .meta({ examples: [EXAMPLE_TIME] }),
  })
  .prefault({})
  .meta({ id: 'ReplayFailedDeliveries', examples: [{ since: EXAMPLE_TIME }] });
export type ReplayFailedDeliveries = z.output<typeof ReplayFailedDeliveries>;

export const SubscriptionView = z
  .object({
    subscriptionId: id('subscription'),
    projectId: id('project'),
    appId: id('app'),
    environment: z.enum(ENVIRONMENT_NAMES).meta({ examples: ['production'] }),
    displayName,
    callbackUrl,
    events: z.array(z.enum(WEBHOOK_EVENTS)).meta({ examples: [['agent.response', 'agent.status']] }),
    status: z.enum(SUBSCRIPTION_STATUSES),
    disabledReason: z.string().nullable(),
    disabledAt: timestamp.nullable(),
    previousSecretUntil: timestamp
      .nullable()
      .describe('The time until which callbacks also have a signature with the old secret.'),
    failingSince: timestamp.nullable().describe('The time since which every attempt has failed.'),
    pausedUntil: timestamp
      .nullable()
      .describe(
        'The time until which no attempts are made, because the receiver has failed repeatedly. Null once it has passed.',
      ),
    createdAt: timestamp,
    modifiedAt: timestamp,
  })
  .meta({ id: 'WebhookSubscription' });

const secret = shownOnce(
  z
    .string()
    .describe('The secret that verifies callbacks according to Standard Webhooks. It is shown only once.')
    .meta({ examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'] }),
);

export const SubscriptionWithSecret = SubscriptionView.extend({ secret }).meta({ id: 'NewWebhookSubscription' });

export const SubscriptionGone = z
  .object({ subscriptionId: id('subscription') })
  .meta({ id: 'WebhookSubscriptionGone' });

export const TestSent = z
  .object({ deliveryId: id('delivery'), messageId: id('message').meta({ examples: [exampleId('message')] }) })
  .meta({ id: 'WebhookTestSent' });

export const ReplayBegun = z
  .object({ subscriptionId: id('subscription'), deliveries: z.int().meta({ examples: [12] }) })
  .meta({ id: 'WebhookReplayBegun' });

const iso = (date: Date | null) => date?.toISOString() ?? null;

export function toSubscriptionView(subscription: Subscription): z.infer<typeof SubscriptionView> {
  const { environment: name, status, disabledReason } = subscription;
  return {
    subscriptionId: subscription.id,
    projectId: subscription.project.id,
    appId: subscription.app.id,
    environment: name,
    displayName: subscription.displayName,
    callbackUrl: subscription.callbackUrl,
    events: subscription.events,
    status,
    disabledReason,
    disabledAt: iso(subscription.disabledAt),
    previousSecretUntil: iso(subscription.previousSecretUntil),
    failingSince: iso(subscription.failingSince),
    pausedUntil: iso(pauseEndOf(subscription)),
    createdAt: subscription.createdAt.toISOString(),
    modifiedAt: subscription.modifiedAt.toISOString(),
  };
}

export function toSubscriptionWithSecret({ subscription, secret: value }: WithSecret) {
  return { ...toSubscriptionView(subscription), secret: value };
}
