import type { Page as BrowserPage } from 'playwright-core';
import { newId } from '../../src/kernel/ids.js';
import { makeActiveAgent, say } from '../agents/make.js';
import { makeProfile } from '../agents/sign-in.js';
import { Desk, entry, makeClient, summary } from '../agent-assist/bots.js';
import { makeConnection } from '../connections/make.js';
import { startedUpload, upload } from '../files/files.js';
import { aCall, type Page, EVER, ledgerPath, written } from '../ledger/calls.js';
import { makeMcpConnection } from '../mcp-connections/make.js';
import { importModel } from '../models/models.js';
import { administratorOf, makeApp, makeKey, makeProject, makeScope, type Tenant } from '../support/actors.js';
import { makeSession, user } from '../sessions/make.js';
import { makeAdminKey } from '../support/admin-keys.js';
import { Client } from '../support/client.js';
import { inApp } from '../support/console-browser.js';
import { eventually } from '../support/eventually.js';
import type { Receiver } from '../support/receiver.js';
import type { Service } from '../support/service.js';
import { deployedTool, execute, flowOf, toolDocument } from '../tools/make.js';
import { aSpan, exportOf, sent } from '../traces/spans.js';
import { hasEnded, sendTest, subscribe, untilDelivery } from '../webhooks/subscribe.js';

/** Markup that would report itself if a page took it for markup. JSON shows it unchanged, because it has no quotes. */
export const MARKUP = '<img src=x onerror=console.error(1)>';
export const RIGHT_TO_LEFT = 'مرحبا بالعالم';
/** Turns the direction of what follows it, and cannot be seen. Names that people give must not have it. */
export const TURN = '\u202E';
export const STRANGE = `${MARKUP}${TURN}`;
/** How a page shows it. */
export const SHOWN = `${MARKUP}⟨U+202E⟩`;
const LONG = 'n'.repeat(120);
const ADMIN = '/api/admin/v1';
const MEMBERS_OF_ORIGIN = ['Source', 'Subtype of the source', 'Channel', 'Type of the channel'];

/**
 * Fails if the page took markup for markup, or if a text has an invisible mark that could reorder its neighbours. Blocks
 * and fields show a text as it is.
 */
export async function expectMarkupAsText(page: BrowserPage): Promise<void> {
  expect(await page.locator('img').count()).toBe(0);
  const turned = `[...document.querySelectorAll('body *:not(pre, pre *, script, textarea, title)')]
    .filter(({ childNodes }) => [...childNodes].some(({ nodeType, data }) => nodeType === 3 && data.includes('${TURN}')))
    .map(({ outerHTML }) => outerHTML)`;
  expect(await page.evaluate<string[]>(turned)).toEqual([]);
}

export interface FilledApp {
  tenant: Tenant;
  /** The addresses of the pages that show the markup. */
  pages: string[];
  /**
   * The addresses of what is opened in a panel beside a list, which shows the markup, too. Each has the names of the
   * values in the panel that have markup.
   */
  panels: Record<string, string[]>;
}

/**
 * Makes an app with something on every page. Every member that a stranger fills has markup, and some of them have more
 * text that is hard to show.
 */
export async function fillApp(service: Service, receiver: Receiver): Promise<FilledApp> {
  const projectId = await makeProject(service, MARKUP);
  const appId = await makeApp(service, projectId, MARKUP);
  const scope = await makeScope(service, appId, { name: MARKUP });
  const admin = administratorOf(service);
  await admin.patch(`${ADMIN}/apps/${appId}/scopes/${scope.scopeId}`, { description: STRANGE });
  const tenant: Tenant = { projectId, appId, ...scope, ...(await makeKey(service, appId, MARKUP, { name: MARKUP })) };
  const administrator = { ...service, adminKey: (await makeAdminKey(service, MARKUP)).adminKey };
  const browser = new Client(service.url, { 'x-api-key': service.adminKey, 'user-agent': MARKUP });
  await browser.post('/api/admin/v1/console-sessions');
  const { agentId, versionId } = await makeActiveAgent(administrator, tenant, {
    name: MARKUP,
    instructions: `${MARKUP} ${RIGHT_TO_LEFT}`,
  });
  const { body: run } = await say(tenant, STRANGE, STRANGE);
  const { sessionId } = run.session;
  await makeSession(tenant, [user(STRANGE)], { source: MARKUP });
  const { connectionId } = await makeConnection(tenant, {
    connectionName: `${MARKUP} ${LONG}`.slice(0, 100),
    provider: 'API',
    fields: { BASE_URL: 'http://127.0.0.1:9/v1', API_KEY: 'sk-not-a-real-key-1234', MODEL_NAME: MARKUP },
  });
  await makeProfile(service, tenant, { idpName: MARKUP });
  const { mcpConnectionId } = await makeMcpConnection(service, tenant, {
    name: MARKUP,
    url: `https://mcp.example.com/${LONG}`,
    allowedTools: [MARKUP],
    authProfile: MARKUP,
  });
  const id = await fillCall(tenant);
  const { traceId } = await fillSpan(tenant);
  const steps = { ofSession: await stepOf(tenant, run.traceId), ofTrace: await stepOf(tenant, traceId) };
  const { toolId, runId, failedRunId } = await fillTool(tenant);
  const { modelId, dockStatusId } = await fillModel(service, tenant);
  const { body: file } = await upload(tenant.api, { name: `${MARKUP} ${LONG}.txt` });
  const uploadId = await startedUpload(tenant.api, { fileName: MARKUP, totalChunks: 1 });
  const { subscriptionId, deliveryId } = await fillDelivery(service, tenant, receiver);
  const jobId = await fillJob(service, tenant);
  await fillConversation(service, tenant);
  const pages = [
    'overview',
    'ledger',
    'sessions',
    `sessions?session=${sessionId}`,
    `playground?talk=${sessionId}`,
    'traces',
    `traces?trace=${traceId}`,
    'agents',
    `agents?agent=${agentId}`,
    'connections',
    'mcp-connections',
    'tools',
    'models',
    'files',
    `files?upload=${uploadId}`,
    'webhooks',
    'agent-assist',
    'access',
  ];
  const panels = {
    [`ledger?call=${encodeURIComponent(id)}`]: ['Model', 'Provider', 'Agent', ...MEMBERS_OF_ORIGIN, 'Session'],
    [`sessions?session=${sessionId}&step=${steps.ofSession}`]: ['Input'],
    [`traces?trace=${traceId}&step=${steps.ofTrace}`]: ['Reason', 'Attributes'],
    [`agents?agent=${agentId}&version=${versionId}`]: ['Instructions'],
    [`connections?connection=${connectionId}`]: ['Model'],
    [`mcp-connections?connection=${mcpConnectionId}`]: [],
    [`tools?tool=${toolId}`]: [],
    [`tools?tool=${toolId}&run=${runId}`]: ['Input', 'Output'],
    [`tools?tool=${toolId}&run=${failedRunId}`]: ['Reason', 'Output of work'],
    [`models?model=${modelId}&followed=${dockStatusId}`]: ['File', 'Architecture', 'Import of'],
    [`files?file=${file.fileId}`]: [],
    [`webhooks?subscription=${subscriptionId}&delivery=${deliveryId}`]: [],
    [`agent-assist?conversation=${encodeURIComponent(MARKUP)}`]: ['Active agents', 'Language', 'Text of summary'],
    [`access?scope=${scope.scopeId}`]: [],
  };
  const addressOf = (page: string) => inApp(tenant, page);
  const ofProject = `projectId=${projectId}`;
  return {
    tenant,
    pages: ['/', '/audit', '/administrators', ...pages.map(addressOf)],
    panels: {
      ...Object.fromEntries(Object.entries(panels).map(([panel, members]) => [addressOf(panel), members])),
      [`/?project=${projectId}`]: [],
      [`/audit?kind=agent&${ofProject}&entry=${await entryOf(service, projectId)}`]: ['Actor', 'After'],
      [`/jobs?${ofProject}&job=${jobId}`]: ['Lane', 'Error'],
    },
  };
}

async function fillCall(tenant: Tenant): Promise<string> {
  const payload = {
    request: { messages: [{ role: STRANGE, content: STRANGE }] },
    response: { text: STRANGE },
  };
  const timestamp = new Date().toISOString();
  const names = { model: STRANGE, provider: STRANGE, agentName: STRANGE, sessionId: STRANGE, source: STRANGE };
  const origin = { sourceSubtype: STRANGE, channel: STRANGE, channelType: STRANGE };
  await written(tenant, aCall({ timestamp, ...names, ...origin, payload }));
  const query = { ...EVER, model: STRANGE };
  const { body } = await tenant.api.get<Page>(ledgerPath(tenant.projectId), { query });
  return body.generations[0]!.id;
}

async function fillSpan({ api, appId, ...tenant }: Tenant): Promise<{ traceId: string }> {
  const attributes = { 'gen_ai.operation.name': STRANGE, 'gen_ai.request.model': STRANGE, note: STRANGE };
  await sent(
    { api, appId, ...tenant },
    exportOf([aSpan({ name: STRANGE, attributes, status: { code: 2, message: STRANGE } })]),
  );
  const { body } = await api.get<{ traces: { traceId: string; name: string }[] }>(`/api/public/apps/${appId}/traces`);
  return body.traces.find(({ name }) => name === STRANGE)!;
}

/** Returns the id of the first step of a trace. */
async function stepOf({ api, appId }: Tenant, traceId: string): Promise<string> {
  const path = `/api/public/apps/${appId}/traces/${traceId}`;
  const { body } = await api.get<{ observations: { observationId: string }[] }>(path);
  return body.observations[0]!.observationId;
}

/** The import of a model refuses such facts, so they are written past it. */
async function fillModel({ database }: Service, { api }: Tenant) {
  const modelId = await importModel(api, { fileName: MARKUP });
  await database.rows(
    `update model set facts = jsonb_set(facts::jsonb, '{architecture}', to_jsonb($1::text)) where id = $2`,
    [STRANGE, modelId],
  );
  const [job] = await database.rows<{ id: string }>(
    `update dock_job set status = 'FAILED', error_code = 'REFUSED', error_message = $1 where target_id = $2 returning id`,
    [STRANGE, modelId],
  );
  return { modelId, dockStatusId: job!.id };
}

/** A failed job whose lane and error have text of strangers. */
async function fillJob({ database }: Service, { projectId }: Tenant): Promise<string> {
  const id = newId('job');
  await database.rows(
    `insert into job (id, name, lane, data, state, run_at, created_at, finished_at, error, project_id)
     values ($1, 'webhooks.deliver', $2, '{}', 'failed', now(), now(), now(), $2, $3)`,
    [id, STRANGE, projectId],
  );
  return id;
}

/** Returns the id of the entry of the audit with the newest change of an agent. */
async function entryOf(service: Service, projectId: string): Promise<string> {
  const query = { projectId, kind: 'agent' };
  const { body } = await administratorOf(service).get<{ data: { auditId: string }[] }>(`${ADMIN}/audit`, { query });
  return body.data[0]!.auditId;
}

/** A tool with a run that has completed and one that has failed. */
async function fillTool(tenant: Tenant) {
  const code = `if (input.fails) throw new Error(${JSON.stringify(STRANGE)}); return { text: ${JSON.stringify(MARKUP)} };`;
  const tool = toolDocument({ description: `${RIGHT_TO_LEFT} ${MARKUP}` });
  const flow = flowOf([{ id: 'work', name: MARKUP, type: 'script', code }]);
  const toolId = await deployedTool(tenant, { toolName: MARKUP, tool, flow });
  const { body: failed } = await execute(tenant, toolId, { fails: true });
  const { body } = await execute(tenant, toolId, { text: MARKUP });
  return { toolId, runId: body.runId, failedRunId: failed.runId };
}

/** A conversation of agent assist, with its summary. */
async function fillConversation(service: Service, tenant: Tenant): Promise<void> {
  const desk = await Desk.open(service, tenant, { name: MARKUP });
  await makeClient(service, tenant, { name: MARKUP });
  await desk.tell(MARKUP, entry('NA', STRANGE));
  await desk.say(MARKUP, STRANGE);
  await desk.tell(MARKUP, summary(STRANGE, STRANGE));
  await eventually(
    () => desk.read(MARKUP),
    ({ summaries: [made] }) => made?.status === 'ready',
  );
}

/** The answer of a receiver is text of a stranger, too. */
async function fillDelivery(service: Service, tenant: Tenant, receiver: Receiver) {
  const wish = { callbackUrl: receiver.url('markup'), displayName: MARKUP };
  const { subscriptionId } = await subscribe(service, tenant, wish);
  const deliveryId = await sendTest(service, subscriptionId, { event: 'agent.response' });
  await untilDelivery(service, deliveryId, (delivery) => hasEnded(delivery) || delivery.attempts.length > 0);
  return { subscriptionId, deliveryId };
}
