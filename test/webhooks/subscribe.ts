import { administratorOf, type Tenant, uniqueName } from '../support/actors.js';
import type { Answer } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import type { Target } from '../support/service.js';

export const ADMIN = '/api/admin/v1';

export interface SubscriptionBody {
  subscriptionId: string;
  appId: string;
  environment: string;
  callbackUrl: string;
  events: string[];
  status: string;
  disabledReason: string | null;
  disabledAt: string | null;
  previousSecretUntil: string | null;
  failingSince: string | null;
  pausedUntil: string | null;
  secret?: string | null;
}

export interface DeliveryBody {
  deliveryId: string;
  messageId: string;
  relatedMessageId: string | null;
  event: string;
  status: string;
  attemptCount: number;
  nextAttemptAt: string | null;
  lastError: string | null;
  createdAt: string;
  endedAt: string | null;
  attempts: {
    number: number;
    at: string;
    request: { url: string; headers: Record<string, string> } | null;
    status: number | null;
    latencyMs: number;
    error: string | null;
    answer: string | null;
  }[];
  body?: string;
}

export type Data<T> = Answer<{ data: T; meta: { nextCursor?: string | null } }>;

export function create(
  target: Target,
  { projectId }: Pick<Tenant, 'projectId'>,
  members: object,
): Promise<Data<SubscriptionBody>> {
  const body = { displayName: uniqueName('receiver'), events: ['agent.response'], ...members };
  return administratorOf(target).post(`${ADMIN}/projects/${projectId}/webhook-subscriptions`, body);
}

/** Creates a subscription, and throws if it is refused. */
export async function subscribe(
  target: Target,
  tenant: Pick<Tenant, 'projectId'>,
  members: { callbackUrl: string } & Record<string, unknown>,
): Promise<SubscriptionBody & { secret: string }> {
  const answer = await create(target, tenant, members);
  if (answer.status !== 201) throw new Error(`No subscription was made: ${answer.text}`);
  return answer.body.data as SubscriptionBody & { secret: string };
}

export function pathOf(subscriptionId: string): string {
  return `${ADMIN}/webhook-subscriptions/${subscriptionId}`;
}

export async function read(target: Target, subscriptionId: string): Promise<SubscriptionBody> {
  const { body }: Data<SubscriptionBody> = await administratorOf(target).get(pathOf(subscriptionId));
  return body.data;
}

export function change(target: Target, subscriptionId: string, changes: object): Promise<Data<SubscriptionBody>> {
  return administratorOf(target).patch(pathOf(subscriptionId), changes);
}

/** Sends a test callback, and returns the id of its delivery. */
export async function sendTest(target: Target, subscriptionId: string, test?: object): Promise<string> {
  const answer: Data<{ deliveryId: string }> = await administratorOf(target).post(
    `${pathOf(subscriptionId)}/test`,
    test,
  );
  if (answer.status !== 200) throw new Error(`No test was sent: ${answer.text}`);
  return answer.body.data.deliveryId;
}

export async function delivery(target: Target, deliveryId: string): Promise<DeliveryBody> {
  const { body }: Data<DeliveryBody> = await administratorOf(target).get(`${ADMIN}/deliveries/${deliveryId}`);
  return body.data;
}

export async function deliveries(
  target: Target,
  subscriptionId: string,
  query: Record<string, string> = {},
): Promise<DeliveryBody[]> {
  const { body }: Data<DeliveryBody[]> = await administratorOf(target).get(`${pathOf(subscriptionId)}/deliveries`, {
    query,
  });
  return body.data;
}

/** Waits until the delivery is as wanted, and returns it. */
export function untilDelivery(
  target: Target,
  deliveryId: string,
  isWanted: (delivery: DeliveryBody) => boolean,
  patienceMs?: number,
): Promise<DeliveryBody> {
  return eventually(() => delivery(target, deliveryId), isWanted, patienceMs);
}

export const hasEnded = ({ status }: DeliveryBody) => status !== 'PENDING';
