import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DAY_MS, MINUTE_MS } from '../../src/kernel/spans.js';
import { activate, makeActiveAgent, say } from '../agents/make.js';
import { makeConnection } from '../connections/make.js';
import { aCall, write } from '../ledger/calls.js';
import { administratorOf, makeApp, makeKey, makeProject, makeScope, type Tenant } from '../support/actors.js';
import { inApp, openSignedIn } from '../support/console-browser.js';
import { Receiver } from '../support/receiver.js';
import { startService } from '../support/service.js';
import { deployedTool, exampleParts, execute } from '../tools/make.js';
import { change, hasEnded, sendTest, subscribe, untilDelivery } from '../webhooks/subscribe.js';

/** With `SCREENSHOTS=1`, the pictures replace those of docs/console.md. */
const FOLDER = fileURLToPath(new URL('../../docs/images/console/', import.meta.url));
const WINDOW = { width: 1040, height: 640 };
const MAX_BYTES = 100_000;
const DAYS = 28;
const MODELS = ['gpt-5-mini', 'claude-sonnet', 'support-7b'];
const FIELDS = { API_KEY: 'sk-not-a-real-key-1234' };

const service = await startService();
const receiver = await Receiver.start();
const { tenant, sessionId, traceId, toolId, runId, subscriptionId } = await makeShop();
const browser = await openSignedIn(service, receiver);
const { page } = browser;
beforeAll(() => page.setViewportSize(WINDOW));

it.each([
  ['overview', 'overview?period=30d&plots=shown', 'Average latency'],
  ['ledger', 'ledger?period=30d', 'claude-sonnet'],
  ['session', `sessions?session=${sessionId}`, 'Where is my parcel?'],
  ['trace', `traces?trace=${traceId}`, 'Steps'],
  ['playground', 'playground?compare=yes', 'Returns desk, version 2'],
  ['tool', `tools?tool=${toolId}&run=${runId}`, /^end$/],
  ['webhooks', `webhooks?subscription=${subscriptionId}`, /^Failed$/],
  ['access', 'access', 'HTTP_ASYNC_SEND'],
])('the page %s is pictured', async (name, path, text) => {
  await browser.see(inApp(tenant, path), text);
  if (name === 'playground') await talk();
  await page.getByLabel('Loading').first().waitFor({ state: 'detached' });
  const picture = await page.screenshot({ animations: 'disabled' });
  expect(picture.length).toBeLessThan(MAX_BYTES);
  if (!process.env.SCREENSHOTS) return;
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, `${name}.png`), picture);
});

it('the ledger fits into a window of 1,000 pixels', async () => {
  await page.setViewportSize({ width: 1000, height: 640 });
  await browser.see(inApp(tenant, 'ledger?period=30d'), 'claude-sonnet');
  const beyond =
    '(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector(".list-window"))';
  expect(await page.evaluate<number>(beyond)).toBe(0);
  await page.setViewportSize(WINDOW);
});

it('sorts the ledger by the titles of its columns, and the address says so', async () => {
  await browser.open(inApp(tenant, 'ledger?period=30d'));
  const titleOf = (name: string) => page.getByRole('columnheader', { name });
  expect(await titleOf('Time').getAttribute('aria-sort')).toBe('descending');
  expect(await titleOf('Model').getByRole('button').count()).toBe(0);
  for (const order of ['desc', 'asc']) {
    const [answer] = await Promise.all([
      page.waitForResponse((each) => each.url().includes(`sortBy=cost&sortOrder=${order}`)),
      titleOf('Cost').getByRole('button').click(),
    ]);
    expect(answer.status()).toBe(200);
    expect(new URL(page.url()).searchParams.get('sort')).toBe(`cost.${order}`);
  }
  await page.reload();
  await titleOf('Cost').waitFor();
  expect(await titleOf('Cost').getAttribute('aria-sort')).toBe('ascending');
  expect(await titleOf('Time').getAttribute('aria-sort')).toBeNull();
  await browser.expectAccessible();
});

async function talk() {
  await page.getByRole('textbox', { name: 'Message' }).fill('May I send shoes back?');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  for (const name of ['Conversation', 'Second conversation']) {
    await page.getByRole('region', { name, exact: true }).getByRole('table', { name: 'Steps of the trace' }).waitFor();
  }
}

async function makeShop() {
  const projectId = await makeProject(service, 'Shoe shop');
  const appId = await makeApp(service, projectId, 'Web chat');
  const scope = await makeScope(service, appId, { name: 'Backend' });
  await makeScope(service, appId, { name: 'Reporting', permissions: ['analytics:read'] });
  const made = await makeKey(service, appId, scope.scopeName, { name: 'Shop server' });
  const shop: Tenant = { projectId, appId, ...scope, ...made };
  const instructions = 'Help customers of a shoe shop with parcels and returns.';
  const { agentId } = await makeActiveAgent(service, shop, { name: 'Returns desk', instructions });
  const path = `/api/admin/v1/apps/${appId}/agents/${agentId}`;
  await administratorOf(service).patch(path, { instructions: `${instructions} Be brief.` });
  await activate(service, appId, agentId, {}, 'working-copy');
  const { body: run } = await say(shop, 'order-4711', 'Where is my parcel?');
  await say(shop, 'order-4711', 'Thank you. May I send the shoes back?');
  await makeConnection(shop, {
    connectionName: 'Main model',
    provider: 'Vendor1',
    model: 'gpt-5-mini',
    fields: FIELDS,
  });
  await write(shop, ...manyCalls());
  const tool = await deployedTool(shop, await exampleParts());
  const { body: toolRun } = await execute(shop, tool, { celsius: 21 });
  const { subscriptionId: id } = await subscribe(service, shop, {
    callbackUrl: receiver.url('gone'),
    displayName: 'Customer database',
  });
  const failed = await sendTest(service, id, { event: 'agent.response' });
  await untilDelivery(service, failed, hasEnded);
  await change(service, id, { status: 'ACTIVE', callbackUrl: receiver.url() });
  await untilDelivery(service, await sendTest(service, id, { event: 'agent.response' }), hasEnded);
  return {
    tenant: shop,
    sessionId: run.session.sessionId,
    traceId: run.traceId,
    toolId: tool,
    runId: toolRun.runId,
    subscriptionId: id,
  };
}

/** Calls of four weeks, with quiet weekends. */
function manyCalls() {
  return Array.from({ length: DAYS * 24 }, (_, at) => {
    const day = Math.floor(at / 24);
    const isQuiet = day % 7 > 4 && at % 3 > 0;
    return aCall({
      timestamp: new Date(Date.now() - (DAYS - day) * DAY_MS + MINUTE_MS * (at % 24)).toISOString(),
      status: at % 23 === 0 ? 'failed' : 'success',
      model: MODELS[at % 3],
      provider: 'openai',
      agentName: 'Returns desk',
      environment: 'production',
      inputTokens: isQuiet ? 60 : 400 + ((at * 37) % 500),
      completionTokens: isQuiet ? 10 : 80 + ((at * 11) % 90),
      latencyMs: 600 + ((at * 53) % 900) + day * 8,
      cost: isQuiet ? 0.0002 : 0.002 + (at % 5) / 2_000,
    });
  });
}
