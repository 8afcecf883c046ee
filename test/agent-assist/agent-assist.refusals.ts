import { newId } from '../../src/kernel/ids.js';
import { administratorOf } from '../support/actors.js';
import type { Answer } from '../support/client.js';
import type { Refusals, World } from '../support/samples.js';
import { ADMIN, Desk, end, entry, makeClient } from './bots.js';
import { hs256 } from './tokens.js';

const seconds = () => Math.floor(Date.now() / 1000);

export const refusals: Refusals = {
  TOKEN_MISSING: (world) => postWith(world, undefined),
  TOKEN_INVALID: (world) => postWith(world, 'nonsense'),
  TOKEN_EXPIRED: (world) => postAs(world, { exp: seconds() - 3600 }),
  TOKEN_NOT_YET_VALID: (world) => postAs(world, { nbf: seconds() + 3600 }),
  TOKEN_REPLAYED: async ({ service, tenant }) => {
    const desk = await Desk.open(service, tenant);
    const client = await makeClient(service, tenant, { enforceJti: true });
    const token = hs256(client.clientSecret, { clientId: client.clientId, claims: { jti: 'once' } });
    const post = () => desk.post({ conversationId: 'x', botId: desk.botId, events: [entry('NA')] }, { token });
    await post();
    return post();
  },
  JWT_CLIENT_NOT_FOUND: ({ service }) => administratorOf(service).get(`${ADMIN}/jwt-clients/${newId('jwtClient')}`),
  PUBLIC_KEY_NOT_TAKEN: ({ service, tenant }) => {
    const input = { name: 'x', algorithm: 'RS256' };
    return administratorOf(service).post(`${ADMIN}/projects/${tenant.projectId}/jwt-clients`, input);
  },
  BOT_NOT_FOUND: ({ service }) => administratorOf(service).get(`${ADMIN}/bots/${newId('bot')}`),
  CONVERSATION_NOT_FOUND: async ({ service, tenant }) => {
    const { botId } = await Desk.open(service, tenant);
    return administratorOf(service).get(`${ADMIN}/bots/${botId}/conversations/none`);
  },
  BOT_UNKNOWN: async ({ service, tenant }) => {
    const desk = await Desk.open(service, tenant);
    await administratorOf(service).delete(`${ADMIN}/bots/${desk.botId}`);
    return desk.tell('x', end());
  },
  BOT_MISMATCH: async ({ service, tenant }) => {
    const desk = await Desk.open(service, tenant);
    return desk.post({ conversationId: 'x', botId: newId('bot'), events: [end()] });
  },
  EVENT_OUT_OF_ORDER: async ({ service, tenant }) =>
    (await Desk.open(service, tenant, { strict: true })).tell('x', end()),
  TOO_MANY_ACTIVE_AGENTS: async ({ service, tenant }) => {
    const desk = await Desk.open(service, tenant);
    const crowd = Array.from({ length: 100 }, (_, n) => entry('WARM', `agent-${n}`));
    await desk.tell('x', ...crowd);
    return desk.tell('x', entry('WARM', 'one-more'));
  },
};

async function postWith({ service, tenant }: World, token: string | undefined): Promise<Answer> {
  const desk = await Desk.open(service, tenant);
  return desk.post({}, token === undefined ? {} : { token });
}

async function postAs(world: World, claims: Record<string, unknown>): Promise<Answer> {
  const { clientId, clientSecret } = await makeClient(world.service, world.tenant);
  return postWith(world, hs256(clientSecret, { clientId, claims }));
}
