/** What a subscription may hear of. */
export const WEBHOOK_EVENTS = ['agent.response', 'agent.status', 'agent.media'] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];
