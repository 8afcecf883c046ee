import type { Samples, World } from '../support/samples.js';
import { ADMIN, Desk, end, entry, makeBot, makeClient, message, newConversation } from './bots.js';

const CONVERSATION = `${ADMIN}/bots/{botId}/conversations/{conversationId}`;

export const samples: Samples = {
  'POST /agentassist/api/v1/hooks/{botId}': async ({ service, tenant }) => {
    const { botId, token } = await Desk.open(service, tenant);
    return {
      params: { botId },
      headers: { token },
      body: {
        conversationId: newConversation(),
        botId,
        ...message('Where is my order?'),
        events: [entry('NA'), end()],
      },
    };
  },
  [`POST ${ADMIN}/projects/{projectId}/jwt-clients`]: ({ tenant: { projectId } }: World) => ({
    params: { projectId },
    body: { name: 'Contact centre' },
  }),
  [`GET ${ADMIN}/projects/{projectId}/jwt-clients`]: ({ tenant: { projectId } }: World) => ({ params: { projectId } }),
  [`GET ${ADMIN}/jwt-clients/{clientId}`]: async (world: World) => ({ params: await aClient(world) }),
  [`PATCH ${ADMIN}/jwt-clients/{clientId}`]: async (world: World) => ({
    params: await aClient(world),
    body: { name: 'Another name' },
  }),
  [`POST ${ADMIN}/jwt-clients/{clientId}/rotate`]: async (world: World) => ({
    params: await aClient(world),
    body: { graceSeconds: 60 },
  }),
  [`DELETE ${ADMIN}/jwt-clients/{clientId}`]: async (world: World) => ({ params: await aClient(world) }),
  [`POST ${ADMIN}/projects/{projectId}/bots`]: ({ tenant: { projectId } }: World) => ({
    params: { projectId },
    body: { name: 'Service desk' },
  }),
  [`GET ${ADMIN}/projects/{projectId}/bots`]: ({ tenant: { projectId } }: World) => ({ params: { projectId } }),
  [`GET ${ADMIN}/bots/{botId}`]: async (world: World) => ({ params: await aBot(world) }),
  [`PATCH ${ADMIN}/bots/{botId}`]: async (world: World) => ({ params: await aBot(world), body: { strict: true } }),
  [`DELETE ${ADMIN}/bots/{botId}`]: async (world: World) => ({ params: await aBot(world) }),
  [`GET ${ADMIN}/bots/{botId}/conversations`]: async (world: World) => ({ params: await aBot(world) }),
  [`GET ${CONVERSATION}`]: async (world: World) => ({ params: await aConversation(world) }),
  [`GET ${CONVERSATION}/transcript`]: async (world: World) => ({ params: await aConversation(world) }),
  [`GET ${CONVERSATION}/segments`]: async (world: World) => ({ params: await aConversation(world) }),
  [`GET ${CONVERSATION}/export`]: async (world: World) => ({ params: await aConversation(world) }),
  [`DELETE ${CONVERSATION}`]: async (world: World) => ({ params: await aConversation(world) }),
};

async function aClient({ service, tenant }: World): Promise<{ clientId: string }> {
  const { clientId } = await makeClient(service, tenant);
  return { clientId };
}

async function aBot({ service, tenant }: World): Promise<{ botId: string }> {
  return { botId: await makeBot(service, tenant) };
}

async function aConversation({ service, tenant }: World): Promise<{ botId: string; conversationId: string }> {
  const desk = await Desk.open(service, tenant);
  const conversationId = newConversation();
  await desk.say(conversationId, 'Where is my order?');
  await desk.tell(conversationId, entry('NA'), end());
  return { botId: desk.botId, conversationId };
}
