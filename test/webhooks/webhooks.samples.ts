import { makeActiveAgent } from '../agents/make.js';
import { makeKeyWith } from '../support/actors.js';
import type { Samples, World } from '../support/samples.js';
import { accepted, bodyFor, type Channel } from './channel.js';
import { sendTest, subscribe } from './subscribe.js';

const SUBSCRIPTION = '/api/admin/v1/webhook-subscriptions/{subscriptionId}';
/** No process listens at this port, so deliveries wait for their next attempt. */
const NOWHERE = 'http://127.0.0.1:9/';

export const samples: Samples = {
  'POST /api/v1/channels/http-async/message': async (world) => ({ body: bodyFor(await aChannel(world)) }),
  'GET /api/v1/channels/http-async/messages/{messageId}': async (world) => ({ params: await aMessage(world) }),
  'GET /asyncapi.json': () => ({}),
  'GET /api/admin/v1/messages/{messageId}': async (world) => ({ params: await aMessage(world) }),
  'POST /api/admin/v1/projects/{projectId}/webhook-subscriptions': ({ tenant: { projectId, appId } }) => ({
    params: { projectId },
    body: { displayName: 'CRM', callbackUrl: NOWHERE, events: ['agent.response'], appId },
  }),
  'GET /api/admin/v1/projects/{projectId}/webhook-subscriptions': ({ tenant: { projectId } }) => ({
    params: { projectId },
  }),
  [`GET ${SUBSCRIPTION}`]: async (world: World) => ({ params: await aSubscription(world) }),
  [`PATCH ${SUBSCRIPTION}`]: async (world: World) => ({
    params: await aSubscription(world),
    body: { displayName: 'Other', status: 'DISABLED' },
  }),
  [`DELETE ${SUBSCRIPTION}`]: async (world: World) => ({ params: await aSubscription(world) }),
  [`POST ${SUBSCRIPTION}/rotate-secret`]: async (world: World) => ({
    params: await aSubscription(world),
    body: { overlapSeconds: 60 },
  }),
  [`POST ${SUBSCRIPTION}/test`]: async (world: World) => ({ params: await aSubscription(world) }),
  [`POST ${SUBSCRIPTION}/replay-failed`]: async (world: World) => ({ params: await aSubscription(world) }),
  [`GET ${SUBSCRIPTION}/deliveries`]: async (world: World) => ({
    params: await aSubscription(world),
    query: { status: 'FAILED', limit: '2' },
  }),
  'GET /api/admin/v1/deliveries/{deliveryId}': async (world) => ({ params: await aDelivery(world) }),
  'POST /api/admin/v1/deliveries/{deliveryId}/replay': async (world) => {
    const { deliveryId } = await aDelivery(world);
    await world.service.database.rows(
      `update webhook_delivery set status = 'FAILED', ended_at = now() where id = $1 and status = 'PENDING'`,
      [deliveryId],
    );
    return { params: { deliveryId } };
  },
};

async function aSubscription({ service, tenant }: World): Promise<{ subscriptionId: string }> {
  const { subscriptionId } = await subscribe(service, tenant, { callbackUrl: NOWHERE, appId: tenant.appId });
  return { subscriptionId };
}

async function aDelivery(world: World): Promise<{ deliveryId: string }> {
  const { subscriptionId } = await aSubscription(world);
  return { deliveryId: await sendTest(world.service, subscriptionId) };
}

async function aChannel({ service, tenant }: World): Promise<Channel> {
  const { agentId } = await makeActiveAgent(service, tenant);
  const subscription = await subscribe(service, tenant, { callbackUrl: NOWHERE, appId: tenant.appId });
  return { tenant, agentId, subscription };
}

/** Sends a message with its own key, because the key of the sample may lack the permission. */
async function aMessage(world: World): Promise<{ messageId: string }> {
  const channel = await aChannel(world);
  const { api } = await makeKeyWith(world.service, world.tenant, ['HTTP_ASYNC_SEND']);
  const { message_id: messageId } = await accepted({ ...channel, tenant: { ...channel.tenant, api } });
  return { messageId };
}
