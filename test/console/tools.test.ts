import { makeTenant } from '../support/actors.js';
import { openSignedIn } from '../support/console-browser.js';
import { downloaded } from '../support/download.js';
import { startService } from '../support/service.js';
import { deployedTool, execute, flowOf, importedTool, toolDocument } from '../tools/make.js';

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

const address = `/apps/${tenant.appId}/tools`;
const panel = page.getByRole('dialog');
const job = page.getByRole('region', { name: 'Followed job' });
const picture = page.getByRole('region', { name: 'Flow', exact: true });

async function choose(at: number, name: string, content: object | Buffer): Promise<void> {
  const buffer = Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content));
  await page.locator('input[type=file]').nth(at).setInputFiles({ name, mimeType: 'application/json', buffer });
}

it('imports a tool from its documents, and deploys it', async () => {
  await browser.goTo(address);
  await page.getByRole('button', { name: 'Import a tool' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Parcels');
  await choose(0, 'tool.json', toolDocument());
  await choose(1, 'flow.json', FLOW);
  await browser.expectAccessible();
  await page.getByRole('button', { name: 'Import the tool' }).click();
  await job.getByText('SUCCESS').waitFor();
  await page.getByRole('table', { name: 'Tools' }).getByRole('button', { name: 'Parcels' }).click();
  await panel.getByRole('button', { name: 'Deploy', exact: true }).click();
  await panel.getByText('DEPLOYED', { exact: true }).waitFor();
  await job.getByText('SUCCESS').waitFor();
});

it('says what is wrong with the documents', async () => {
  await browser.goTo(address);
  await page.getByRole('button', { name: 'Import a tool' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Broken');
  await choose(0, 'tool.json', toolDocument());
  await choose(1, 'flow.json', flowOf([{ id: 'x', type: 'unknown' }]));
  await page.getByRole('button', { name: 'Import the tool' }).click();
  await job.getByText(/The flow document: callflows/).waitFor();
});

it('exports the tool, imports the export as a version, and undeploys the tool', async () => {
  await browser.goTo(address);
  await page.getByRole('table', { name: 'Tools' }).getByRole('button', { name: 'Parcels' }).click();
  await panel.getByRole('button', { name: 'Export', exact: true }).click();
  const { content } = await downloaded(page, job.getByRole('link', { name: 'Download the export' }));
  await panel.getByRole('button', { name: 'Import a version' }).click();
  await choose(0, 'export.zip', content);
  await panel.getByRole('button', { name: 'Import the version' }).click();
  await job.getByText('IMPORT').waitFor();
  await panel.getByRole('button', { name: 'Deploy', exact: true }).waitFor();
  await panel.getByRole('button', { name: 'Undeploy' }).click();
  await panel.getByRole('button', { name: 'Undeploy: confirm' }).click();
  await panel.getByText('READY', { exact: true }).waitFor();
});

it('manages a tool that an API key imported', async () => {
  await browser.goTo(`${address}?tool=${await deployedTool(tenant)}`);
  await panel.getByRole('button', { name: 'Undeploy' }).click();
  await panel.getByRole('button', { name: 'Undeploy: confirm' }).click();
  await panel.getByText('READY', { exact: true }).waitFor();
});

it('draws a flow only when it is asked to, in light and in dark colors', async () => {
  const toolId = await importedTool(tenant, { flow: FLOW });
  const loaded: string[] = [];
  page.on('request', (request) => void loaded.push(request.url()));
  await browser.goTo(`${address}?tool=${toolId}`);
  await panel.getByRole('button', { name: 'Draw the flow' }).waitFor();
  expect(loaded.filter((url) => url.includes('flow-picture'))).toEqual([]);
  await panel.getByRole('button', { name: 'Draw the flow' }).click();
  await picture.getByRole('button', { name: 'Is it wanted? condition' }).waitFor();
  await picture.getByText('false').waitFor();
  expect(loaded.filter((url) => url.includes('flow-picture'))).not.toEqual([]);
  await browser.expectAccessible();
  await page.emulateMedia({ colorScheme: 'dark' });
  await browser.expectAccessible();
  await page.emulateMedia({ colorScheme: 'light' });
  await panel.getByRole('button', { name: 'Hide the flow' }).click();
  await picture.waitFor({ state: 'detached' });
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
  await browser.goTo(`${address}?tool=${toolId}`);
  await panel.getByRole('button', { name: 'Draw the flow' }).click();
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
  await browser.goTo(`${address}?tool=${toolId}`);
  await panel.getByRole('table', { name: 'Runs' }).getByRole('button').first().press('Enter');
  await panel.getByRole('button', { name: 'Draw the run' }).press('Enter');
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
});

it('shows the node at which a run has failed, with the reason', async () => {
  const toolId = await deployedTool(tenant, { flow: FLOW });
  const { body } = await execute(tenant, toolId, { wanted: false });
  await browser.goTo(`${address}?tool=${toolId}&run=${body.runId}`);
  await panel.getByRole('button', { name: 'Draw the run' }).click();
  await picture.getByRole('button', { name: /never script · failed/ }).click();
  await panel.getByRole('region', { name: 'Output of the node' }).getByText('SCRIPT_FAILED').waitFor();
});
