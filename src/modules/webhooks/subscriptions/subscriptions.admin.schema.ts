import { z } from 'zod';
import { exampleId, type Id, toId } from '../../../kernel/ids.js';
import { displayName as name, EXAMPLE_TIME, id, moment, timestamp } from '../../../kernel/schema.js';
import { shownOnce } from '../../../platform/route/shown-once.js';
import { ENVIRONMENT_NAMES } from '../../tenancy/app.entity.js';
import { type Subscription, SUBSCRIPTION_STATUSES, WEBHOOK_EVENTS } from './subscription.entity.js';
import type { WithSecret } from './subscriptions.service.js';

const displayName = name.meta({ examples: ['CRM'] });
const callbackUrl = z
  .string()
  .min(1)
  .max(2_048)
  .describe('https without user name and password; http only for an address that OUTBOUND_ALLOW_CIDRS opens.')
  .meta({ examples: ['https://crm.example.com/slipway'] });
const events = z
  .array(z.enum(WEBHOOK_EVENTS))
  .min(1)
  .refine((named) => new Set(named).size === named.length, 'names an event twice')
  .meta({ examples: [['agent.response', 'agent.status']] });
const appId = id('app')
  .transform((text): Id<'app'> => toId('app', text))
  .describe('Whose agent answers. May be left out while the project has one app.');
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
    status: z.enum(SUBSCRIPTION_STATUSES).optional().describe('ACTIVE also takes one back that disabled itself.'),
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
      .describe('For so long callbacks carry a signature with the old secret too.'),
  })
  .prefault({})
  .meta({ id: 'RotateWebhookSecret', examples: [{ overlapSeconds: 3600 }] });
export type RotateSecret = z.output<typeof RotateSecret>;

export const TestSubscription = z
  .strictObject({ event: z.enum(WEBHOOK_EVENTS).optional().describe('The first that it hears of, unless said.') })
  .prefault({})
  .meta({ id: 'TestWebhookSubscription', examples: [{ event: 'agent.response' }] });
export type TestSubscription = z.output<typeof TestSubscription>;

export const ReplayFailedDeliveries = z
  .strictObject({
    since: moment
      .prefault('1970-01-01T00:00:00Z')
      .describe('Of those that failed from then on; of all, unless said.')
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
    previousSecretUntil: timestamp.nullable().describe('Until when callbacks are signed with the old secret too.'),
    failingSince: timestamp.nullable().describe('Since when every attempt has failed.'),
    pausedUntil: timestamp.nullable().describe('Its receiver failed again and again: until then nothing is tried.'),
    createdAt: timestamp,
    modifiedAt: timestamp,
  })
  .meta({ id: 'WebhookSubscription' });

const secret = shownOnce(
  z
    .string()
    .describe('Verifies callbacks, as Standard Webhooks has it. Shown this once.')
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
    pausedUntil: iso(subscription.pausedUntil),
    createdAt: subscription.createdAt.toISOString(),
    modifiedAt: subscription.modifiedAt.toISOString(),
  };
}

export function toSubscriptionWithSecret({ subscription, secret: value }: WithSecret) {
  return { ...toSubscriptionView(subscription), secret: value };
}
