import { makeAgent } from '../agents/make.js';
import { makeProfile } from '../agents/sign-in.js';
import { BODIES, KEY, MASK, makeConnection, read } from '../connections/make.js';
import { connectTo } from '../gateway/calls.js';
import { makeMcpConnection } from '../mcp-connections/make.js';
import { McpDouble } from '../mcp-connections/mcp-double.js';
import { administratorOf, makeTenant } from '../support/actors.js';
import { faultsOf, inApp, openSignedIn, pressAndConfirm } from '../support/console-browser.js';
import { endConsoleSessions } from '../support/console.js';
import { ModelDouble } from '../support/providers/model-double.js';
import { startService } from '../support/service.js';
import { MARKUP } from './filled-app.js';

const PAYLOAD = '{ "prompt": "{{ prompt }}" }';

const double = await ModelDouble.start();
const server = await McpDouble.start();
const service = await startService();
const tenant = await makeTenant(service);
const browser = await openSignedIn(service, double, server);
const { page } = browser;

const CONNECTIONS = `/api/admin/v1/projects/${tenant.projectId}/connections`;
const address = inApp(tenant, 'connections');
const form = page.getByRole('form', { name: 'Create a connection' });
const panel = page.getByRole('dialog');
const field = (name: string, within = form) => within.getByLabel(new RegExp(`^${name}( \\*)?$`));
const create = form.getByRole('button', { name: 'Create a connection' });

async function openForm(provider: string): Promise<void> {
  await browser.open(address);
  await page.getByRole('button', { name: 'New connection' }).click();
  await field('Provider').selectOption(provider);
}

it('creates a connection with the fields of its provider, and tests it', async () => {
  await openForm('API');
  await browser.expectAccessible();
  await field('Name').fill('Our own model');
  await field('Model').fill('llama');
  await field('Base address').fill(double.url);
  await field('API key').fill(KEY);
  await create.click();
  await panel.getByText('Our own model').waitFor();
  expect(await page.locator('body').innerText()).not.toContain(KEY);
  const fields = panel.getByRole('region', { name: 'Fields' });
  await fields.getByText('API key', { exact: true }).waitFor();
  await fields.getByText(MASK, { exact: true }).waitFor();
  await fields.getByText('Base address', { exact: true }).waitFor();
  await panel.getByRole('button', { name: 'Test the connection' }).click();
  const outcome = panel.getByRole('region', { name: 'Outcome of the test' });
  await outcome.getByText('Succeeded').waitFor();
  await outcome.getByText(/^[\d.]+ m?s$/).waitFor();
  await outcome.getByRole('button', { name: 'Show the answer as JSON' }).click();
  await outcome.getByText('"ok": true').waitFor();
  await browser.expectAccessible();
});

it('leaves the connection open that was opened while another one was being deleted', async () => {
  const other = await makeTenant(service);
  for (const connectionName of ['First', 'Second']) await makeConnection(other, { ...BODIES.Vendor1, connectionName });
  const row = (name: string) => page.getByRole('table', { name: 'Connections' }).getByRole('button', { name });
  const held = Promise.withResolvers<void>();
  await page.route('**/connections/*', async (route) => {
    if (route.request().method() === 'DELETE') await held.promise;
    await route.continue();
  });
  await browser.open(inApp(other, 'connections'));
  await row('First').click();
  await pressAndConfirm(panel, 'Delete');
  await row('Second').click();
  const second = panel.getByRole('heading', { name: 'Second' });
  await second.waitFor();
  held.resolve();
  await row('First').waitFor({ state: 'detached' });
  await second.waitFor();
  await page.unroute('**/connections/*');
});

it('says why the test of a connection fails', async () => {
  const connectionId = await connectTo(tenant, double, 'no-key');
  await browser.open(`${address}?connection=${connectionId}`);
  await panel.getByRole('button', { name: 'Test the connection' }).click();
  await panel.getByText('The provider refused the key.').waitFor();
  const data = { connectionId, ok: false, model: MARKUP, reason: MARKUP, latencyMs: 1 };
  await page.route('**/test', (route) => route.fulfill({ json: { success: true, data } }));
  await panel.getByRole('button', { name: 'Test the connection' }).click();
  await panel.getByRole('button', { name: 'Show the answer as JSON' }).click();
  const tested = panel.getByRole('region', { name: 'Outcome of the test' });
  for (const at of [0, 1, 2]) await tested.getByText(MARKUP).nth(at).waitFor();
  expect(await page.locator('img').count()).toBe(0);
  await page.unroute('**/test');
  // The call of a test belongs to no app, and so to no trace that could be shown.
  await browser.open(inApp(tenant, 'ledger?status=failed'));
  await page.getByRole('table', { name: 'Calls of models' }).locator('tbody').getByRole('button').first().click();
  await panel.getByText('The provider refused the key.').waitFor();
  await panel.getByText('Studio test calls').first().waitFor();
  expect(await panel.getByRole('link', { name: 'Show its trace' }).count()).toBe(0);
});

it.each([
  ['Vendor1', []],
  ['CloudVendor1', ['Resource', 'Deployment', 'Version of the API']],
  ['Vendor2', []],
])('asks for the fields of %s', async (provider, names) => {
  await openForm(provider);
  for (const name of ['Name', 'Model', 'API key', ...names]) await field(name).fill('main-4');
  await create.click();
  await panel.getByText(provider, { exact: true }).waitFor();
});

it('lists the members that the API refuses, and keeps what was typed, also for another provider', async () => {
  browser.expectRefusals(400);
  await openForm('API');
  await field('Name').fill('Ours');
  await field('Model').fill('llama');
  await field('Payload').fill(PAYLOAD);
  await field('Path of the answer').fill('[[');
  await create.click();
  const alert = form.getByRole('alert');
  await alert.getByText('Some of what you entered is not accepted.').waitFor();
  await faultsOf(form, 'Path of the answer').waitFor();
  await faultsOf(form, 'Base address').waitFor();
  expect(await alert.getByRole('listitem').count()).toBe(0);
  await browser.expectAccessible();
  await field('Provider').selectOption('Vendor1');
  await field('Provider').selectOption('API');
  expect(await field('Payload').inputValue()).toBe(PAYLOAD);
  await field('Headers').fill('[{');
  await create.click();
  await alert.getByText('Headers is not JSON.').waitFor();
});

it('loses nothing typed when the session ends, and the key is not in the address', async () => {
  browser.expectRefusals(401);
  await openForm('API');
  await field('Name').fill('Kept');
  await field('Model').fill('llama');
  await field('Base address').fill(double.url);
  await field('API key').fill(KEY);
  await endConsoleSessions(administratorOf(service));
  await create.click();
  await panel.getByLabel('Administration key').fill(service.adminKey);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await panel.waitFor({ state: 'detached' });
  expect(await field('API key').inputValue()).toBe(KEY);
  expect(page.url()).not.toContain(KEY);
  await create.click();
  await panel.getByText('Kept').waitFor();
});

it('changes the fields of a connection that others change, and keeps its key if none is typed', async () => {
  const { connectionId } = await makeConnection(tenant, BODIES.CloudVendor1);
  await browser.open(`${address}?connection=${connectionId}`);
  await panel.getByRole('button', { name: 'Change', exact: true }).click();
  const changes = panel.getByRole('form', { name: 'Change the fields' });
  expect(await field('API key', changes).inputValue()).toBe('');
  await field('Deployment', changes).fill('other');
  await browser.expectAccessible();
  const others = { api_version: '2024-10-21' };
  await administratorOf(service).patch(`${CONNECTIONS}/${connectionId}`, { status: 'INACTIVE', fields: others });
  await browser.comeBackUntil(panel.getByText('Inactive', { exact: true }));
  await changes.getByRole('button', { name: 'Change the fields' }).click();
  await changes.waitFor({ state: 'detached' });
  const { body } = await read(tenant, connectionId);
  expect(body.fields).toEqual({ ...BODIES.CloudVendor1.fields, ...others, deployment_id: 'other', API_KEY: MASK });
});

it('changes a connection of the provider API, and asks for its secrets again with another address', async () => {
  browser.expectRefusals(400);
  const headers = [{ key: 'x-team', value: 'support-of-the-shop-1' }];
  const fields = { ...BODIES.API.fields, BASE_URL: double.url, headers, outputPath: 'text', inputTokensPath: 'read' };
  const { connectionId, fields: shown } = await makeConnection(tenant, { provider: 'API', fields });
  await browser.open(`${address}?connection=${connectionId}`);
  const shownFields = panel.getByRole('region', { name: 'Fields' });
  await shownFields.getByText('Headers', { exact: true }).waitFor();
  await shownFields.getByText('Name of the model', { exact: true }).waitFor();
  await shownFields.getByText('"key": "x-team"').waitFor();
  expect(await shownFields.innerText()).not.toContain('support-of-the-shop-1');
  await panel.getByRole('button', { name: 'Change', exact: true }).click();
  const changes = panel.getByRole('form', { name: 'Change the fields' });
  const save = changes.getByRole('button', { name: 'Change the fields' });
  expect(await field('Path of the answer', changes).inputValue()).toBe('text');
  await field('Path of the answer', changes).fill('');
  await field('Payload', changes).fill(PAYLOAD);
  await field('Base address', changes).fill(`${double.url}/other`);
  await save.click();
  await faultsOf(changes, 'API key').waitFor();
  await browser.expectAccessible();
  await field('Base address', changes).fill(double.url);
  await save.click();
  await changes.waitFor({ state: 'detached' });
  const { outputPath: _, ...kept } = shown;
  expect((await read(tenant, connectionId)).body.fields).toEqual({ ...kept, payload: JSON.parse(PAYLOAD) as unknown });
});

it('deactivates, activates and deletes a connection', async () => {
  const { connectionId } = await makeConnection(tenant);
  await browser.open(`${address}?connection=${connectionId}`);
  await panel.getByRole('button', { name: 'Deactivate' }).click();
  await panel.getByText('Inactive').waitFor();
  await panel.getByRole('button', { name: 'Activate' }).click();
  await panel.getByText('Active', { exact: true }).waitFor();
  await pressAndConfirm(panel, 'Delete');
  await panel.waitFor({ state: 'detached' });
  expect((await read(tenant, connectionId)).outcome).toBe('404 CONNECTION_NOT_FOUND');
});

describe('an MCP connection', () => {
  const mcpAddress = inApp(tenant, 'mcp-connections');
  const newForm = page.getByRole('form', { name: 'Create an MCP connection' });
  const changes = panel.getByRole('form', { name: 'Change the MCP connection' });
  const save = changes.getByRole('button', { name: 'Change the MCP connection' });
  const showTools = panel.getByRole('button', { name: 'Show its tools' });
  const tools = panel.getByRole('table', { name: 'Tools of the server' });
  const headers = [{ key: 'x-key', value: KEY }];

  beforeEach(() => server.faults.clear());

  it('is created with the form, and shows the tools of its server with their inputs', async () => {
    await browser.open(mcpAddress);
    await page.getByRole('button', { name: 'New MCP connection' }).click();
    await browser.expectAccessible();
    await field('Name', newForm).fill('Issue tracker');
    await field('Address', newForm).fill(server.url);
    await field('Headers', newForm).fill(JSON.stringify(headers));
    await newForm.getByRole('button', { name: 'Create an MCP connection' }).click();
    await panel.getByText('Issue tracker').waitFor();
    expect(await page.locator('body').innerText()).not.toContain(KEY);
    await showTools.click();
    await panel.getByText('The server offers agents 7 tools.').waitFor();
    await tools.getByText('Repeats a text.').waitFor();
    await tools.getByRole('button', { name: 'Show the input of echo' }).click();
    await tools.getByRole('region', { name: 'Schema of its input' }).getByText('"text"').first().waitFor();
    await browser.expectAccessible();
  });

  it('says why its server does not list its tools', async () => {
    browser.expectRefusals(502);
    const { mcpConnectionId } = await makeMcpConnection(service, tenant, { url: server.url });
    server.faults.set('initialize', 'forbidden');
    await browser.open(`${mcpAddress}?connection=${mcpConnectionId}`);
    await showTools.click();
    const alert = panel.getByRole('alert');
    await alert.getByText('The MCP server refused access with these credentials.').waitFor();
    await alert.getByText('MCP_FORBIDDEN').waitFor();
    await alert.getByText(/^Request/).waitFor();
    server.faults.clear();
    await showTools.click();
    await tools.waitFor();
  });

  it('changes, keeps the value of a header whose mask stays, and asks for it again at another host', async () => {
    browser.expectRefusals(400);
    await makeProfile(service, tenant, { idpName: 'Company login' });
    const made = await makeMcpConnection(service, tenant, { url: server.url, headers, authProfile: 'Company login' });
    await browser.open(`${mcpAddress}?connection=${made.mcpConnectionId}`);
    await panel.getByRole('button', { name: 'Change', exact: true }).click();
    await field('Address', changes).fill('https://mcp.example.com/mcp');
    await save.click();
    await faultsOf(changes, 'Headers').waitFor();
    await field('Address', changes).fill(server.url);
    await field('Allowed tools', changes).fill(JSON.stringify(['echo', MARKUP]));
    await field('Authorization profile', changes).fill('');
    await browser.expectAccessible();
    await save.click();
    await changes.waitFor({ state: 'detached' });
    await showTools.click();
    await panel.getByRole('table', { name: 'Tools that are not offered' }).getByText(MARKUP).waitFor();
    await panel.getByText('The server offers agents 1 tool.').waitFor();
    expect(server.received.at(-1)!.headers['x-key']).toBe(KEY);
  });

  it('is chosen by an agent, deactivated and deleted, and the agent lets go of it', async () => {
    const { mcpConnectionId, name } = await makeMcpConnection(service, tenant, { url: server.url });
    const { agentId } = await makeAgent(service, tenant.appId);
    const agentPage = inApp(tenant, `agents?agent=${agentId}`);
    await browser.open(agentPage);
    await page.getByLabel(name).check();
    await browser.expectAccessible();
    await page.getByRole('button', { name: 'Save as a version' }).click();
    await page.getByText('These belong to version 2.').waitFor();
    await browser.open(`${mcpAddress}?connection=${mcpConnectionId}`);
    await panel.getByRole('button', { name: 'Deactivate' }).click();
    await panel.getByText('Inactive').waitFor();
    await pressAndConfirm(panel, 'Delete');
    await panel.waitFor({ state: 'detached' });
    await page.getByRole('button', { name }).waitFor({ state: 'detached' });
    await browser.open(agentPage);
    await page.getByLabel(`${mcpConnectionId} is deleted.`).uncheck();
    await page.getByRole('button', { name: 'Save as a version' }).click();
    await page.getByText('These belong to version 3.').waitFor();
  });
});
