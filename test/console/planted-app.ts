import { makeActiveAgent, say } from '../agents/make.js';
import { makeProfile } from '../agents/sign-in.js';
import { Desk, entry } from '../agent-assist/bots.js';
import { makeConnection } from '../connections/make.js';
import { upload } from '../files/files.js';
import { aCall, type Page, EVER, ledgerPath, write } from '../ledger/calls.js';
import { makeMcpConnection } from '../mcp-connections/make.js';
import { importModel } from '../models/models.js';
import { makeApp, makeKey, makeProject, makeScope, type Tenant } from '../support/actors.js';
import { makeAdminKey } from '../support/admin-keys.js';
import { Client } from '../support/client.js';
import type { Receiver } from '../support/receiver.js';
import type { Service } from '../support/service.js';
import { deployedTool, execute, flowOf, toolDocument } from '../tools/make.js';
import { aSpan, exportOf, sent } from '../traces/spans.js';
import { hasEnded, sendTest, subscribe, untilDelivery } from '../webhooks/subscribe.js';

/** Markup that would report itself if a page took it for markup. JSON shows it unchanged, because it has no quotes. */
export const PLANTED = '<img src=x onerror=console.error(1)>';

/** Makes an app with markup in every member that a stranger fills, and returns the pages that show it. */
export async function plant(service: Service, receiver: Receiver): Promise<string[]> {
  const projectId = await makeProject(service, PLANTED);
  const appId = await makeApp(service, projectId, PLANTED);
  const scope = await makeScope(service, appId, { name: PLANTED });
  const tenant: Tenant = { projectId, appId, ...scope, ...(await makeKey(service, appId, PLANTED, { name: PLANTED })) };
  await makeAdminKey(service, PLANTED);
  const browser = new Client(service.url, { 'x-api-key': service.adminKey, 'user-agent': PLANTED });
  await browser.post('/api/admin/v1/console-sessions');
  const { agentId } = await makeActiveAgent(service, tenant, { name: PLANTED, instructions: PLANTED });
  const { body: run } = await say(tenant, PLANTED, PLANTED);
  const { connectionId } = await makeConnection(tenant, {
    connectionName: PLANTED,
    provider: 'API',
    fields: { BASE_URL: 'http://127.0.0.1:9/v1', API_KEY: 'sk-not-a-real-key-1234', MODEL_NAME: PLANTED },
  });
  await makeProfile(service, tenant, { idpName: PLANTED });
  const { mcpConnectionId } = await makeMcpConnection(service, tenant, {
    name: PLANTED,
    url: 'https://mcp.example.com/mcp',
    allowedTools: [PLANTED],
    authProfile: PLANTED,
  });
  const id = await plantCall(tenant);
  const { traceId } = await plantSpan(tenant);
  const { toolId, runId } = await plantTool(tenant);
  const modelId = await importModel(tenant.api, { fileName: PLANTED });
  await upload(tenant.api, { name: `${PLANTED}.txt` });
  const { subscriptionId, deliveryId } = await plantDelivery(service, tenant, receiver);
  const desk = await Desk.open(service, tenant, { name: PLANTED });
  await desk.tell('call-1', entry('NA', PLANTED));
  await desk.say('call-1', PLANTED);
  const pages = [
    'overview',
    'ledger',
    `ledger?call=${encodeURIComponent(id)}`,
    'sessions',
    `playground?talk=${run.session.sessionId}`,
    `sessions?session=${run.session.sessionId}`,
    'traces',
    `traces?trace=${traceId}`,
    'agents',
    `agents?agent=${agentId}`,
    'connections',
    `connections?connection=${connectionId}`,
    'mcp-connections',
    `mcp-connections?connection=${mcpConnectionId}`,
    'tools',
    `tools?tool=${toolId}`,
    `tools?tool=${toolId}&run=${runId}`,
    'models',
    `models?model=${modelId}`,
    'files',
    'webhooks',
    `webhooks?subscription=${subscriptionId}&delivery=${deliveryId}`,
    'agent-assist?conversation=call-1',
    'access',
  ];
  return ['/', '/audit', '/administrators', ...pages.map((page) => `/apps/${appId}/${page}`)];
}

async function plantCall(tenant: Tenant): Promise<string> {
  const payload = {
    request: { messages: [{ role: PLANTED, content: PLANTED }] },
    response: { text: PLANTED },
  };
  const timestamp = new Date().toISOString();
  const names = { model: PLANTED, provider: PLANTED, agentName: PLANTED, sessionId: PLANTED, source: PLANTED };
  await write(tenant, aCall({ timestamp, ...names, payload }));
  const query = { ...EVER, model: PLANTED };
  const { body } = await tenant.api.get<Page>(ledgerPath(tenant.projectId), { query });
  return body.generations[0]!.id;
}

async function plantSpan({ api, appId, ...tenant }: Tenant): Promise<{ traceId: string }> {
  const attributes = { 'gen_ai.operation.name': PLANTED, 'gen_ai.request.model': PLANTED, note: PLANTED };
  await sent({ api, appId, ...tenant }, exportOf([aSpan({ name: PLANTED, attributes })]));
  const { body } = await api.get<{ traces: { traceId: string; name: string }[] }>(`/api/public/apps/${appId}/traces`);
  return body.traces.find(({ name }) => name === PLANTED)!;
}

async function plantTool(tenant: Tenant): Promise<{ toolId: string; runId: string }> {
  const code = `return { text: ${JSON.stringify(PLANTED)} };`;
  const tool = toolDocument({ description: PLANTED });
  const toolId = await deployedTool(tenant, { tool, flow: flowOf([{ id: 'work', type: 'script', code }]) });
  const { body } = await execute(tenant, toolId, { text: PLANTED });
  return { toolId, runId: body.runId };
}

/** The answer of a receiver is text of a stranger, too. */
async function plantDelivery(service: Service, tenant: Tenant, receiver: Receiver) {
  const wish = { callbackUrl: receiver.url('markup'), displayName: PLANTED };
  const { subscriptionId } = await subscribe(service, tenant, wish);
  const deliveryId = await sendTest(service, subscriptionId, { event: 'agent.response' });
  await untilDelivery(service, deliveryId, (delivery) => hasEnded(delivery) || delivery.attempts.length > 0);
  return { subscriptionId, deliveryId };
}
