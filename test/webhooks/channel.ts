import { makeActiveAgent } from '../agents/make.js';
import { makeTenant, type Tenant, uniqueName } from '../support/actors.js';
import type { Answer, RequestOptions } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import type { Receiver, ReceivedCallback } from '../support/receiver.js';
import type { Target } from '../support/service.js';
import { subscribe, type SubscriptionBody } from './subscribe.js';

export const MESSAGE = '/api/v1/channels/http-async/message';

export interface Accepted {
  message_id: string;
  session_key: string;
  status: string;
  _note: string;
}

export interface Followed {
  message_id: string;
  session_key: string;
  session_id: string;
  status: string;
  error: { code: string; message: string } | null;
  finished_at: string | null;
  callbacks: { event: string; message_id: string; status: string; attempts: number; last_error: string | null }[];
}

/** A tenant whose agent answers in production, and a subscription to it. */
export interface Channel {
  tenant: Tenant;
  agentId: string;
  subscription: SubscriptionBody & { secret: string };
}

export async function openChannel(
  target: Target,
  members: { callbackUrl: string } & Record<string, unknown>,
  agent: object = {},
): Promise<Channel> {
  const tenant = await makeTenant(target);
  const { agentId } = await makeActiveAgent(target, tenant, agent);
  return { tenant, agentId, subscription: await subscribe(target, tenant, members) };
}

/** Returns a valid body of a message. */
export function bodyFor({ tenant, subscription }: Pick<Channel, 'tenant' | 'subscription'>, more: object = {}): object {
  return {
    project_id: tenant.projectId,
    subscription_id: subscription.subscriptionId,
    message: 'Hello there',
    session_key: uniqueName('customer'),
    ...more,
  };
}

export function send(channel: Channel, more: object = {}, options?: RequestOptions): Promise<Answer<Accepted>> {
  return channel.tenant.api.post<Accepted>(MESSAGE, bodyFor(channel, more), options);
}

/** Sends a message, and returns its acknowledgement. Throws if the message is refused. */
export async function accepted(channel: Channel, more: object = {}): Promise<Accepted> {
  const answer = await send(channel, more);
  if (answer.status !== 202) throw new Error(`The message was not accepted: ${answer.text}`);
  return answer.body;
}

export async function follow({ tenant }: Pick<Channel, 'tenant'>, messageId: string): Promise<Followed> {
  return (await tenant.api.get<Followed>(`/api/v1/channels/http-async/messages/${messageId}`)).body;
}

export function untilFollowed(
  channel: Channel,
  messageId: string,
  isWanted: (message: Followed) => boolean,
): Promise<Followed> {
  return eventually(() => follow(channel, messageId), isWanted);
}

/** Waits for the reply to a message, and returns it. */
export function replyTo(receiver: Receiver, { message_id: id }: Accepted): Promise<ReceivedCallback> {
  return eventually(
    () => receiver.callbacks.find(({ messageId }) => messageId === id),
    (callback) => callback !== undefined,
  ) as Promise<ReceivedCallback>;
}

/** Returns all callbacks about a message that have arrived. */
export function about(receiver: Receiver, { message_id: id }: Accepted): ReceivedCallback[] {
  return receiver.callbacks.filter(({ body }) => [body.message_id, body.related_message_id].includes(id));
}
