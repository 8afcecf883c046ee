import { makeActiveAgent, say } from '../agents/make.js';
import { Desk, entry, exit, summary } from '../agent-assist/bots.js';
import { makeConnection } from '../connections/make.js';
import { upload } from '../files/files.js';
import { makeMcpConnection } from '../mcp-connections/make.js';
import { makeTenant, type Tenant } from '../support/actors.js';
import type { Receiver } from '../support/receiver.js';
import type { Service } from '../support/service.js';
import { deployedTool, execute, flowOf, toolDocument } from '../tools/make.js';
import { sendTest, subscribe } from '../webhooks/subscribe.js';

/** Markup that would report itself if a page took it for markup. */
export const MARKUP = '<img src=x onerror="console.error(1)">';
export const RIGHT_TO_LEFT = 'مرحبا بالعالم';
export const LONG = 'n'.repeat(120);

export interface FilledApp {
  tenant: Tenant;
  sessionId: string;
  agentId: string;
  /** The first version of the agent, which is active. */
  versionId: string;
}

/** Makes an app with something on every page, in names that are hard to show. */
export async function fillApp(service: Service, receiver: Receiver): Promise<FilledApp> {
  const tenant = await makeTenant(service);
  const { agentId, versionId } = await makeActiveAgent(service, tenant, { name: MARKUP, instructions: RIGHT_TO_LEFT });
  const { body: run } = await say(tenant, MARKUP, `Hello ${MARKUP}`);
  await makeConnection(tenant, { connectionName: `${MARKUP} ${LONG}`.slice(0, 100), ...CONNECTION });
  await makeMcpConnection(service, tenant, { name: RIGHT_TO_LEFT, url: `https://mcp.example.com/${LONG}` });
  const code = `return { text: ${JSON.stringify(MARKUP)} };`;
  const tool = toolDocument({ description: `${RIGHT_TO_LEFT} ${MARKUP}` });
  const toolId = await deployedTool(tenant, { tool, flow: flowOf([{ id: 'work', type: 'script', code }]) });
  await execute(tenant, toolId);
  await upload(tenant.api, { name: `${LONG}.txt` });
  const { subscriptionId } = await subscribe(service, tenant, { callbackUrl: receiver.url(), displayName: 'Web chat' });
  await sendTest(service, subscriptionId, { event: 'agent.response' });
  const desk = await Desk.open(service, tenant);
  await desk.tell('call-1', entry('NA'));
  await desk.say('call-1', MARKUP);
  await desk.tell('call-1', summary());
  for (const part of [0, 1, 2]) {
    const agents = Array.from({ length: 20 }, (_, at) => `desk ${part} ${at}`);
    await desk.tell('call-2', ...agents.flatMap((agent) => [entry('NA', agent), exit('NA', agent)]));
  }
  return { tenant, sessionId: run.session.sessionId, agentId, versionId };
}

const CONNECTION = { provider: 'Vendor1', model: 'gpt-5-mini', fields: { API_KEY: 'sk-not-a-real-key-1234' } };
