import { Desk, end, entry } from '../agent-assist/bots.js';
import { BODIES, makeConnection } from '../connections/make.js';
import { aCall, written } from '../ledger/calls.js';
import { makeMcpConnection } from '../mcp-connections/make.js';
import { importModel, importOf } from '../models/models.js';
import { makeSession, ref, user } from '../sessions/make.js';
import { makeAdminKey } from '../support/admin-keys.js';
import { administratorOf, makeKey, makeScope, makeTenant, type Tenant } from '../support/actors.js';
import { inApp, openSignedIn } from '../support/console-browser.js';
import { tinyAdapter } from '../support/models/tiny-adapter.js';
import { tinyModel } from '../support/models/tiny-model.js';
import { Receiver } from '../support/receiver.js';
import { startService } from '../support/service.js';
import { aSpan, exportOf, newSpanId, sent } from '../traces/spans.js';
import { change, hasEnded, sendTest, subscribe, untilDelivery } from '../webhooks/subscribe.js';

const service = await startService();
const receiver = await Receiver.start();
const tenant = await makeTenant(service);
const browser = await openSignedIn(service, receiver);
const { page } = browser;

const rowsOf = (table: string) => page.getByRole('table', { name: table, exact: true }).getByRole('row');
const adding = page.getByRole('form', { name: 'Add a filter' });
const chips = page.getByRole('button', { name: /^Remove the filter / });

async function addFilter(label: string, value: string): Promise<void> {
  await adding.getByLabel('Filter').selectOption(label);
  const field = adding.getByLabel('Value');
  const isText = (await adding.getByRole('textbox').count()) > 0;
  await (isText ? field.fill(value) : field.selectOption(value));
  await adding.getByRole('button', { name: 'Add filter' }).click();
}

/** Two rows of a list, of which each filter leaves one. A filter has its label, its member of the address and a value. */
interface Filtered {
  path: string;
  table: string;
  shown: string;
  hidden: string;
  filters: readonly (readonly [label: string, member: string, value: string])[];
}

async function expectFilters({ path, table, shown, hidden, filters }: Filtered): Promise<void> {
  await browser.open(path);
  const kept = rowsOf(table).filter({ hasText: shown });
  const left = rowsOf(table).filter({ hasText: hidden });
  const before = [...new URL(page.url()).searchParams];
  for (const [label, member, value] of filters) {
    await left.waitFor();
    await addFilter(label, value);
    await left.waitFor({ state: 'detached' });
    await kept.waitFor();
    expect(await chips.getAttribute('aria-label')).toBe(`Remove the filter ${label}: ${value}`);
    expect([...new URL(page.url()).searchParams]).toEqual([...before, [member, value]]);
    await chips.click();
    await chips.waitFor({ state: 'detached' });
  }
  await left.waitFor();
  expect([...new URL(page.url()).searchParams]).toEqual(before);
}

const callbackUrl = 'https://example.com/callbacks';
const url = 'https://mcp.example.com/mcp';

/** Makes two subscriptions. Only the one that is called "Shown" is disabled. */
async function twoSubscriptions(of: Tenant): Promise<void> {
  const { subscriptionId } = await subscribe(service, of, { callbackUrl, displayName: 'Shown' });
  await change(service, subscriptionId, { status: 'DISABLED' });
  await subscribe(service, of, { callbackUrl, displayName: 'Hidden' });
}

const LISTS: Record<string, () => Promise<Filtered>> = {
  async sessions() {
    const { sessionId: hidden } = await makeSession(tenant);
    const visitor = [user('grace-9'), ref('order-7')];
    const { sessionId: shown } = await makeSession(tenant, visitor, { source: 'Shop' }, 'staging');
    return {
      path: inApp(tenant, 'sessions'),
      table: 'Sessions',
      shown,
      hidden,
      filters: [
        ['Environment', 'env_name', 'staging'],
        ['User', 'user_reference_id', 'grace-9'],
        ['Reference', 'session_reference_id', 'order-7'],
        ['Source', 'source', 'Shop'],
      ],
    };
  },

  async 'calls of the overview'() {
    const timestamp = new Date().toISOString();
    await written(tenant, aCall({ timestamp, model: 'gpt-a' }));
    const origin = { sourceSubtype: 'Widget', channel: 'chat-1', channelType: 'chat' };
    await written(tenant, aCall({ timestamp, model: 'gpt-b', ...origin }));
    return {
      path: inApp(tenant, 'overview'),
      table: 'Calls by group',
      shown: 'gpt-b',
      hidden: 'gpt-a',
      filters: [
        ['Subtype of the source', 'sourceSubtype', 'Widget'],
        ['Channel', 'channel', 'chat-1'],
        ['Type of the channel', 'channelType', 'chat'],
      ],
    };
  },

  async traces() {
    const spanId = newSpanId();
    const failed = { name: 'shown trace', spanId, status: { code: 2, message: 'Too slow' } };
    const attributes = { 'gen_ai.conversation.id': 'chat-18' };
    await sent(tenant, exportOf([aSpan({ name: 'hidden trace' }), aSpan({ ...failed, attributes })]));
    return {
      path: inApp(tenant, 'traces'),
      table: 'Traces',
      shown: 'shown trace',
      hidden: 'hidden trace',
      filters: [
        ['Status', 'status', 'failed'],
        ['Name', 'name', 'shown trace'],
        ['Session', 'sessionId', 'chat-18'],
        ['Span', 'spanId', spanId],
      ],
    };
  },

  async connections() {
    await makeConnection(tenant, { ...BODIES.Vendor1, connectionName: 'Hidden' });
    const { connectionId } = await makeConnection(tenant, { ...BODIES.API, connectionName: 'Shown' });
    const path = `/api/admin/v1/projects/${tenant.projectId}/connections/${connectionId}`;
    await administratorOf(service).patch(path, { status: 'INACTIVE' });
    return {
      path: inApp(tenant, 'connections'),
      table: 'Connections',
      shown: 'Shown',
      hidden: 'Hidden',
      filters: [
        ['Status', 'status', 'INACTIVE'],
        ['Provider', 'provider', 'API'],
      ],
    };
  },

  async 'MCP connections'() {
    await makeMcpConnection(service, tenant, { name: 'Shown', url });
    await makeMcpConnection(service, tenant, { name: 'Hidden', url, status: 'INACTIVE' });
    return {
      path: inApp(tenant, 'mcp-connections'),
      table: 'MCP connections',
      shown: 'Shown',
      hidden: 'Hidden',
      filters: [['Status', 'status', 'ACTIVE']],
    };
  },

  async models() {
    await importModel(tenant.api, { fileName: 'helper', content: tinyAdapter(), isAdapter: true });
    await importOf(tenant.api, { fileName: 'broken', content: tinyModel().subarray(0, 2_000) });
    return {
      path: inApp(tenant, 'models'),
      table: 'Models',
      shown: 'helper',
      hidden: 'broken',
      filters: [
        ['Kind', 'kind', 'adapter'],
        ['State', 'state', 'READY_TO_DEPLOY'],
      ],
    };
  },

  async 'webhook subscriptions'() {
    await twoSubscriptions(tenant);
    return {
      path: inApp(tenant, 'webhooks'),
      table: 'Subscriptions',
      shown: 'Shown',
      hidden: 'Hidden',
      filters: [['Status', 'subscriptionStatus', 'DISABLED']],
    };
  },

  async deliveries() {
    const events = ['agent.response', 'agent.status'];
    const { subscriptionId } = await subscribe(service, tenant, { callbackUrl: receiver.url(), events });
    for (const event of events)
      await untilDelivery(service, await sendTest(service, subscriptionId, { event }), hasEnded);
    await service.database.rows(
      `update webhook_delivery set status = 'FAILED' where subscription_id = $1 and event = 'agent.status'`,
      [subscriptionId],
    );
    return {
      path: inApp(tenant, `webhooks?subscription=${subscriptionId}`),
      table: 'Deliveries',
      shown: 'agent.status',
      hidden: 'agent.response',
      filters: [
        ['Status', 'status', 'FAILED'],
        ['Event', 'event', 'agent.status'],
      ],
    };
  },

  async 'conversations of the contact centre'() {
    const desk = await Desk.open(service, tenant);
    await desk.say('call-shown', 'The blue lamp is broken');
    await desk.tell('call-shown', entry('NA', 'B'));
    await desk.tell('call-hidden', end());
    return {
      path: inApp(tenant, `agent-assist?bot=${desk.botId}`),
      table: 'Conversations',
      shown: 'call-shown',
      hidden: 'call-hidden',
      filters: [
        ['Status', 'status', 'active'],
        ['Agent', 'agent', 'B'],
        ['Words', 'text', 'lamp'],
        ['Out of order', 'outOfOrder', 'false'],
      ],
    };
  },

  async 'administration keys'() {
    await makeAdminKey(service, 'Zoe', 'auditor');
    await makeAdminKey(service, 'Berta', 'viewer');
    return {
      path: '/administrators',
      table: 'Administration keys',
      shown: 'Zoe',
      hidden: 'Berta',
      filters: [['Role', 'role', 'auditor']],
    };
  },
};

it.each(Object.keys(LISTS))('adds each filter of the %s as a chip that stands in the address, and removes it', (list) =>
  LISTS[list]!().then(expectFilters),
);

it('keeps the filters of the subscriptions while one of them is shown, with all of its deliveries', async () => {
  const own = await makeTenant(service);
  await twoSubscriptions(own);
  await browser.see(inApp(own, 'webhooks?subscriptionStatus=DISABLED'), 'Shown');
  await page.getByRole('button', { name: 'Shown' }).click();
  await page.getByText('There is no delivery yet.').waitFor();
  expect(await chips.count()).toBe(0);
  await page.getByRole('button', { name: 'All subscriptions' }).click();
  await chips.waitFor();
  expect(await rowsOf('Subscriptions').filter({ hasText: 'Hidden' }).count()).toBe(0);
  await browser.expectAccessible();
});

it('applies the filter and the order in the address together', async () => {
  const own = await makeTenant(service);
  for (const name of ['First', 'Second']) await makeMcpConnection(service, own, { name, url });
  await makeMcpConnection(service, own, { name: 'Hidden', url, status: 'INACTIVE' });
  await browser.see(inApp(own, 'mcp-connections?status=ACTIVE&sort=name.asc'), 'Second');
  const names = rowsOf('MCP connections').locator('td:first-child');
  expect(await names.allInnerTexts()).toEqual(['First', 'Second']);
});

it('says that the filters leave nothing', async () => {
  const own = await makeTenant(service);
  const pages = ['sessions?source=none', 'ledger?model=none', 'traces?name=none', 'models?kind=dataset'];
  for (const path of [...pages.map((each) => inApp(own, each)), '/jobs?name=none', '/audit?actor=none'])
    await browser.see(path, 'Nothing matches the filters.');
});

it('shows the API keys of one scope', async () => {
  const { scopeName } = await makeScope(service, tenant.appId, { name: 'Nightly' });
  await makeKey(service, tenant.appId, scopeName, { name: 'night-1' });
  await makeKey(service, tenant.appId, tenant.scopeName, { name: 'day-1' });
  await browser.see(inApp(tenant, 'access'), 'day-1');
  const hidden = rowsOf('API keys').filter({ hasText: 'day-1' });
  await page.getByLabel('Keys of').selectOption('Nightly');
  await hidden.waitFor({ state: 'detached' });
  expect(await rowsOf('API keys').filter({ hasText: 'night-1' }).count()).toBe(1);
  await browser.expectAccessible();
  await page.getByLabel('Keys of').selectOption('All scopes');
  await hidden.waitFor();
  expect(new URL(page.url()).search).toBe('');
});

it('limits the conversations of the contact centre to a period, page by page', async () => {
  const desk = await Desk.open(service, tenant);
  for (let at = 1; at <= 21; at++) await desk.tell(`line-${at}`, entry('NA'));
  await browser.see(inApp(tenant, `agent-assist?bot=${desk.botId}`), '20 shown, and there are more');
  const period = page.getByLabel('Period', { exact: true });
  expect(await period.inputValue()).toBe('any');
  await period.selectOption('Last hour');
  await page.getByRole('button', { name: 'Show more' }).click();
  await page.getByText('21 shown', { exact: true }).waitFor();
  await browser.expectAccessible();
  const past = `agent-assist?bot=${desk.botId}&from=2026-01-01T00:00Z&to=2026-01-02T00:00Z`;
  await browser.see(inApp(tenant, past), 'Nothing matches the filters.');
  await period.selectOption('Any time');
  await rowsOf('Conversations').filter({ hasText: 'line-21' }).waitFor();
  expect([...new URL(page.url()).searchParams.keys()]).toEqual(['bot']);
});
