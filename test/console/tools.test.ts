import type { Locator } from 'playwright-core';
import { administratorOf, makeTenant } from '../support/actors.js';
import { inApp, openSignedIn, pressAndConfirm } from '../support/console-browser.js';
import { downloaded } from '../support/download.js';
import { startService } from '../support/service.js';
import { deployedTool, execute, flowOf, importedTool, toolDocument } from '../tools/make.js';
import { MAKERS, openApi } from '../tools/open-api.js';
import { expectMarkupAsText, MARKUP, SHOWN, STRANGE } from './filled-app.js';
import { runShown } from './shown-command.js';

/** It asks for a port that is not open if the input says so. */
const FLOW = flowOf(
  [
    { id: 'check', type: 'condition', name: 'Is it wanted?', expression: 'input.wanted' },
    { id: 'work', type: 'script', code: 'return { done: input.wanted };' },
  ],
  {
    nodes: [{ id: 'never', type: 'script', code: 'throw new Error("no");' }],
    edges: [
      { from: 'check', to: 'never', when: 'false' },
      { from: 'never', to: 'end' },
    ],
  },
);

const service = await startService();
const tenant = await makeTenant(service);
const browser = await openSignedIn(service);
const { page } = browser;

const address = inApp(tenant, 'tools');
const panel = page.getByRole('dialog');
const job = page.getByRole('region', { name: 'Followed job' });
const openedRun = panel.getByRole('region', { name: 'Opened run' });
const picture = page.getByRole('region', { name: 'Flow', exact: true });

/** Whether the top of a part of the page is in the window. */
async function isInView(part: Locator): Promise<boolean> {
  const { y } = (await part.boundingBox())!;
  return y >= 0 && y < page.viewportSize()!.height;
}

async function choose(at: number, name: string, content: object | Buffer): Promise<void> {
  const buffer = Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content));
  await page.locator('input[type=file]').nth(at).setInputFiles({ name, mimeType: 'application/json', buffer });
}

it('imports a tool from its documents, and deploys it', async () => {
  await browser.open(address);
  await page.getByRole('button', { name: 'Import a tool' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Parcels');
  await choose(0, 'tool.json', toolDocument());
  await choose(1, 'flow.json', FLOW);
  await browser.expectAccessible();
  await page.getByRole('button', { name: 'Import the tool' }).click();
  await job.getByText('Succeeded').waitFor();
  await page.getByRole('table', { name: 'Tools' }).getByRole('button', { name: 'Parcels' }).click();
  await panel.getByRole('button', { name: 'Deploy', exact: true }).click();
  await panel.getByText('Deployed', { exact: true }).waitFor();
  await job.getByText('Deployment of Parcels').waitFor();
  await job.getByText('Succeeded').waitFor();
});

it('says what is wrong with the documents', async () => {
  await browser.open(address);
  await page.getByRole('button', { name: 'Import a tool' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Broken');
  await choose(0, 'tool.json', toolDocument());
  await choose(1, 'flow.json', flowOf([{ id: 'x', type: 'unknown' }]));
  await page.getByRole('button', { name: 'Import the tool' }).click();
  await job.getByText(/The flow document: callflows/).waitFor();
});

it('deletes the documents of an import that is refused, and imports them with another name', async () => {
  browser.expectRefusals(400);
  const documents = async () => {
    const { body } = await administratorOf(service).get<{ data: { fileName: string }[] }>(
      `/api/admin/v1/projects/${tenant.projectId}/files`,
    );
    return body.data.filter(({ fileName }) => fileName.startsWith('refused'));
  };
  await browser.open(address);
  await page.getByRole('button', { name: 'Import a tool' }).click();
  const name = page.getByRole('textbox', { name: 'Name' });
  await name.fill('n'.repeat(129));
  await choose(0, 'refused-tool.json', toolDocument());
  await choose(1, 'refused-flow.json', FLOW);
  await choose(2, 'refused-env.json', { schemaVersion: '1.0', variables: [] });
  await page.getByRole('button', { name: 'Import the tool' }).click();
  await page.getByText(/^The name must /).waitFor();
  expect(await documents()).toEqual([]);
  await name.fill('Not refused');
  await page.getByRole('button', { name: 'Import the tool' }).click();
  await job.getByText('Succeeded').waitFor();
  expect(await documents()).toHaveLength(3);
});

it('exports the tool, imports the export as a version, and undeploys the tool', async () => {
  await browser.open(address);
  await page.getByRole('table', { name: 'Tools' }).getByRole('button', { name: 'Parcels' }).click();
  await panel.getByRole('button', { name: 'Export', exact: true }).click();
  const { content } = await downloaded(page, job.getByRole('link', { name: 'Download the export' }));
  await panel.getByRole('button', { name: 'Import a version' }).click();
  await choose(0, 'export.zip', content);
  await panel.getByRole('button', { name: 'Import the version' }).click();
  await job.getByText('Import of').waitFor();
  await panel.getByRole('button', { name: 'Deploy', exact: true }).waitFor();
  await pressAndConfirm(panel, 'Undeploy');
  await panel.getByText('Ready', { exact: true }).waitFor();
});

it('imports the chosen operations of an OpenAPI document, with the values of their security schemes', async () => {
  const { document } = MAKERS['a pet shop, in YAML'];
  const orders = '  /orders:\n    post: { operationId: order, summary: Orders a pet. }\n';
  await browser.open(address);
  await page.getByRole('button', { name: 'Import from OpenAPI' }).click();
  await choose(0, 'openapi.yaml', Buffer.from(document.replace('components:', `${orders}components:`)));
  const form = page.getByRole('form', { name: 'Import the operations' });
  await form.getByText('2 of 2 operations').waitFor();
  await form.getByRole('textbox', { name: 'Name' }).fill('Pet shop');
  await form.getByLabel('Search the operations').fill('finds pet');
  await form.getByText('1 of 2 operations').waitFor();
  expect(await form.getByLabel('API_KEY', { exact: true }).count()).toBe(0);
  await form.getByLabel('GET /pets/{petId}').check();
  await form.getByLabel('API_KEY', { exact: true }).fill('canary-of-the-pet-shop');
  await browser.expectAccessible();
  browser.expectRefusals(400);
  await form.getByLabel('Address of the server').fill('ftp://pets.example.com/v1');
  await form.getByRole('button', { name: 'Import the operations' }).click();
  await form.getByText('The address must be an http:// or https:// address').waitFor();
  await form.getByLabel('Address of the server').fill('https://pets.example.com/v1');
  await form.getByRole('button', { name: 'Import the operations' }).click();
  await job.getByText('Succeeded').waitFor();
  await job.getByRole('button', { name: 'getPetById' }).click();
  await panel.getByText('API_KEY (secret)').waitFor();
  await panel.getByText('Finds a pet.').waitFor();
  expect(await service.database.dump()).not.toContain('canary-of-the-pet-shop');
});

it('imports all operations of a pasted document, and says which of them are left out and why', async () => {
  const xml = { required: true, content: { 'application/xml': {} } };
  const paths = {
    '/orders': { get: { operationId: 'list', summary: STRANGE } },
    [`/${STRANGE}`]: { post: { operationId: STRANGE, requestBody: xml, security: [{ [STRANGE]: [] }] } },
  };
  const components = { securitySchemes: { [STRANGE]: { type: 'apiKey', in: 'header', name: STRANGE } } };
  await browser.open(address);
  await page.getByRole('button', { name: 'Import from OpenAPI' }).click();
  const section = page.getByRole('region', { name: 'Import from an OpenAPI document' });
  const text = section.getByLabel('Or its text');
  await text.fill('{"openapi": "3.0.3", "paths": {}}');
  await section.getByRole('button', { name: 'Read the text' }).click();
  await section.getByRole('alert').getByText('The document has no operation').waitFor();
  await text.fill(JSON.stringify({ ...openApi(), info: { title: MARKUP }, paths, components }));
  await section.getByRole('button', { name: 'Read the text' }).click();
  await section.getByText(SHOWN, { exact: true }).first().waitFor();
  await section.getByText(`POST /${SHOWN}`, { exact: true }).waitFor();
  expect(await section.getByRole('textbox', { name: 'Name' }).inputValue()).toBe(MARKUP);
  await section.getByRole('button', { name: 'Choose these' }).click();
  await section.getByText('2 chosen, at most 50').waitFor();
  await section.getByText(`The value of ${SHOWN}. Requests send it in the header as ${SHOWN}. It is sealed.`).waitFor();
  await expectMarkupAsText(page);
  await section.getByRole('button', { name: 'Import the operations' }).click();
  await job.getByText(`Left out: ${SHOWN} `).waitFor();
  await expectMarkupAsText(page);
  await job.getByRole('button', { name: 'list' }).waitFor();
  await browser.expectAccessible();
});

it('asks for the id and the secret of a client only if a client can obtain a token', async () => {
  const securitySchemes = {
    ofUser: { type: 'oauth2', flows: { authorizationCode: {} } },
    ofClient: { type: 'oauth2', flows: { clientCredentials: { tokenUrl: '/token' } } },
  };
  const security = [{ ofUser: [] }, { ofClient: [] }];
  await browser.open(address);
  await page.getByRole('button', { name: 'Import from OpenAPI' }).click();
  const section = page.getByRole('region', { name: 'Import from an OpenAPI document' });
  await section
    .getByLabel('Or its text')
    .fill(JSON.stringify({ ...openApi({ security }), components: { securitySchemes } }));
  await section.getByRole('button', { name: 'Read the text' }).click();
  await section.getByLabel('POST /orders').check();
  await section.getByText('The value of ofUser. An access token. It is sealed.').waitFor();
  await section.getByText('The value of ofClient. An access token, or the id and secret of a client').waitFor();
});

it('manages a tool that an API key imported', async () => {
  const toolId = await deployedTool(tenant);
  await browser.open(`${address}?tool=${toolId}`);
  const request = panel.locator('pre').filter({ hasText: 'curl' });
  await request.filter({ hasText: '/execute' }).waitFor();
  expect(await runShown(service, tenant.key, await request.innerText())).toContain('completed');
  await panel.getByRole('button', { name: 'Run the tool' }).click();
  await openedRun.getByText('Completed').first().waitFor();
  await picture.getByRole('button', { name: /^start completed/ }).waitFor();
  await pressAndConfirm(panel, 'Undeploy');
  await panel.getByText('Ready', { exact: true }).waitFor();
  await panel.getByRole('table', { name: 'Runs' }).waitFor();
});

it('says how a deployed tool can be deleted, and deletes it once it is undeployed', async () => {
  const other = await makeTenant(service);
  const toolId = await deployedTool(other);
  await browser.open(inApp(other, `tools?tool=${toolId}`));
  await panel.getByText('The tool can be deleted when it is undeployed.').waitFor();
  expect(await panel.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true);
  await pressAndConfirm(panel, 'Undeploy');
  await job.getByText('Succeeded').waitFor();
  await pressAndConfirm(panel, 'Delete');
  await panel.waitFor({ state: 'detached' });
  await page.getByText('This project has no tool yet.').waitFor();
});

it('draws the flow of an opened tool, in light and in dark colors, until the user hides it', async () => {
  const toolId = await importedTool(tenant, { flow: FLOW });
  const loaded: string[] = [];
  page.on('request', (request) => void loaded.push(request.url()));
  await browser.goTo(address);
  await page.getByRole('table', { name: 'Tools' }).waitFor();
  expect(loaded.filter((url) => url.includes('flow-picture'))).toEqual([]);
  await browser.open(`${address}?tool=${toolId}`);
  await picture.getByRole('button', { name: 'Is it wanted? condition' }).waitFor();
  await picture.getByText('false').waitFor();
  const fillOf = (name: string) => page.evaluate(`getComputedStyle(document.querySelector('${name}')).fill`);
  expect(await fillOf('.react-flow__edge-text')).not.toBe(await fillOf('.react-flow__edge-textbg'));
  expect(loaded.filter((url) => url.includes('flow-picture'))).not.toEqual([]);
  await browser.expectAccessible();
  await page.emulateMedia({ colorScheme: 'dark' });
  await browser.expectAccessible();
  await page.emulateMedia({ colorScheme: 'light' });
  await panel.getByRole('button', { name: 'Hide the picture' }).click();
  await picture.waitFor({ state: 'detached' });
  await panel.getByRole('button', { name: 'Draw the flow' }).click();
  await picture.waitFor();
});

it('draws and exports the flow that is chosen among several', async () => {
  const nodesOf = (id: string) => [
    { id: 'start', type: 'start' },
    { id, type: 'script', code: 'return {};' },
    { id: 'end', type: 'end' },
  ];
  const edgesOf = (id: string) => [
    { from: 'start', to: id },
    { from: id, to: 'end' },
  ];
  const callflows = ['first', 'second'].map((id) => ({
    id,
    name: `The ${id}`,
    nodes: nodesOf(id),
    edges: edgesOf(id),
  }));
  const toolId = await importedTool(tenant, { flow: { schemaVersion: '1.0', callflows } });
  await browser.open(`${address}?tool=${toolId}`);
  await picture.getByRole('button', { name: 'first script' }).waitFor();
  await panel.getByRole('combobox', { name: 'Flow', exact: true }).selectOption('The second');
  await picture.getByRole('button', { name: 'second script' }).waitFor();
  expect(await picture.getByRole('button', { name: 'first script' }).count()).toBe(0);
  await browser.expectAccessible();
  await panel.getByLabel('Flow to export').selectOption('The second');
  const [request] = await Promise.all([
    page.waitForRequest((sent) => sent.url().includes('/export')),
    panel.getByRole('button', { name: 'Export', exact: true }).click(),
  ]);
  expect(new URL(request.url()).searchParams.get('flowId')).toBe('second');
  await job.getByRole('link', { name: 'Download the export' }).waitFor();
});

it('shows a run node by node in the picture, by keyboard alone', async () => {
  const toolId = await deployedTool(tenant, { flow: FLOW });
  await execute(tenant, toolId, { wanted: true });
  await browser.open(`${address}?tool=${toolId}`);
  await panel.getByRole('table', { name: 'Runs' }).getByRole('button').first().press('Enter');
  await openedRun.getByRole('heading', { name: 'Run' }).waitFor();
  expect(await isInView(openedRun)).toBe(true);
  await picture.getByRole('button', { name: 'never script · not reached' }).waitFor();
  const condition = picture.getByRole('button', { name: /Is it wanted\? condition · completed/ });
  await condition.press('Enter');
  expect(await condition.getAttribute('aria-pressed')).toBe('true');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  const node = panel.getByRole('region', { name: 'Node work' });
  await node.getByText('completed').waitFor();
  await node.getByRole('region', { name: 'Output of the node' }).getByText('"done": true').waitFor();
  await browser.expectAccessible();
  await page.goBack();
  await openedRun.waitFor({ state: 'detached' });
});

it('shows the node at which a run has failed, also if the run cannot be read again', async () => {
  const toolId = await deployedTool(tenant, { flow: FLOW });
  const { body } = await execute(tenant, toolId, { wanted: false });
  await browser.open(`${address}?tool=${toolId}&run=${body.runId}`);
  await picture.getByRole('button', { name: /never script · failed/ }).click();
  await panel.getByRole('region', { name: 'Output of the node' }).getByText('SCRIPT_FAILED').waitFor();
  browser.expectRefusals(404);
  const isRun = ({ pathname }: URL) => pathname.endsWith(`/runs/${body.runId}`);
  await page.route(isRun, (route) => route.fulfill({ status: 404, body: 'gone' }));
  await browser.lookAway();
  await browser.comeBack();
  await panel.getByRole('alert').getByText('HTTP_404').waitFor();
  expect(await panel.getByRole('table', { name: 'Nodes of the run' }).count()).toBe(1);
  await page.unroute(isRun);
});
