import { newId } from '../../src/kernel/ids.js';
import { activate, makeActiveAgent, makeAgent } from '../agents/make.js';
import { BODIES, makeConnection } from '../connections/make.js';
import { administratorOf, makeTenant } from '../support/actors.js';
import { inApp, openSignedIn, pressAndConfirm } from '../support/console-browser.js';
import { startService } from '../support/service.js';
import { deployedTool, importedTool } from '../tools/make.js';

const service = await startService();
const tenant = await makeTenant(service);
const { agentId } = await makeActiveAgent(service, tenant, { name: 'Desk', instructions: 'Be of help.' });
const browser = await openSignedIn(service);
const { page } = browser;

it('changes an agent, activates the version that this makes, and rolls it back', async () => {
  await browser.see(inApp(tenant, 'agents'), 'No other version was active before.');
  await browser.open(inApp(tenant, `agents?agent=${agentId}`));
  await page.getByRole('textbox', { name: 'Instructions' }).fill('Be brief.');
  await page.getByRole('button', { name: 'Save as a version' }).click();
  await page.getByRole('button', { name: 'Version 2' }).click();
  const differences = page.getByRole('table', { name: 'Settings that differ' });
  await differences.getByRole('cell', { name: 'Be brief.' }).waitFor();
  await differences.getByRole('cell', { name: 'Be of help.' }).waitFor();
  expect(await differences.locator('del, ins').allInnerTexts()).toEqual(['of help', 'brief']);
  await browser.expectAccessible();
  await page.getByRole('button', { name: 'Activate' }).click();
  await page.getByText('It answers in production now.').waitFor();
  await page.getByRole('button', { name: 'Close' }).click();
  const newest = page.getByRole('table', { name: 'Versions' }).getByRole('row').nth(1);
  await newest.getByRole('cell', { name: 'production' }).waitFor();
  expect(await newest.getByRole('cell').first().innerText()).toBe('Version 2');
  await page.getByRole('definition').getByText('Desk, version 2').waitFor();
  await browser.open(inApp(tenant, 'agents'));
  const production = page.getByRole('table', { name: 'Active versions' }).getByRole('row', { name: 'production' });
  await production.getByRole('cell', { name: 'Desk, version 2', exact: true }).waitFor();
  await production.getByText('to Desk, version 1', { exact: true }).waitFor();
  await pressAndConfirm(production, 'Roll back');
  await production.getByRole('cell', { name: 'Desk, version 1', exact: true }).waitFor();
});

it('rolls back to a version that lies hundreds of activations back', async () => {
  const other = await makeTenant(service);
  await makeActiveAgent(service, other, { name: 'Early' });
  const late = await makeAgent(service, other.appId, { name: 'Late' });
  // Taking an agent out and putting it back for 250 times would take long. A page of the list has at most 100.
  await service.database.rows(
    `insert into agent_activation (environment_id, version_id, activated_at, ended_at)
     select id, $2, now(), now() from environment, generate_series(1, 250) where app_id = $1 and name = 'production'`,
    [other.appId, late.versionId],
  );
  await activate(service, other.appId, late.agentId);
  await browser.open(inApp(other, 'agents'));
  const production = page.getByRole('table', { name: 'Active versions' }).getByRole('row', { name: 'production' });
  await production.getByText('to Early, version 1', { exact: true }).waitFor();
  await pressAndConfirm(production, 'Roll back');
  await production.getByRole('cell', { name: 'Early, version 1', exact: true }).waitFor();
});

it('names the model of each agent in the list, and leads to it', async () => {
  const other = await makeTenant(service);
  const { connectionId } = await makeConnection(other, { ...BODIES.Vendor1, connectionName: 'House model' });
  await makeAgent(service, other.appId, { name: 'By connection', connectionId });
  await makeAgent(service, other.appId, { name: 'By mock' });
  await browser.open(inApp(other, 'agents'));
  const agents = page.getByRole('table', { name: 'Agents' });
  await agents.getByRole('row', { name: 'By mock' }).getByText('The built-in mock').waitFor();
  await agents.getByTitle(connectionId).getByRole('link', { name: 'House model' }).click();
  await page.getByRole('dialog').getByRole('heading', { name: 'House model' }).waitFor();
});

it('changes all that an agent has, and leaves the rest as it is', async () => {
  const ADMIN = '/api/admin/v1';
  const admin = administratorOf(service);
  const { connectionId } = await makeConnection(tenant, { ...BODIES.Vendor1, connectionName: 'House model' });
  const off = await makeConnection(tenant, { ...BODIES.Vendor1, connectionName: 'Off' });
  await admin.patch(`${ADMIN}/projects/${tenant.projectId}/connections/${off.connectionId}`, { status: 'INACTIVE' });
  const wanted = await deployedTool(tenant);
  const gone = await importedTool(tenant);
  const given = {
    instructions: 'Be of help.\n',
    connectionId: off.connectionId,
    toolIds: [gone],
    historyTokens: 4_000,
  };
  const made = await makeAgent(service, tenant.appId, given);
  await admin.delete(`${ADMIN}/projects/${tenant.projectId}/tools/${gone}`);
  await browser.open(inApp(tenant, `agents?agent=${made.agentId}`));
  const form = page.getByRole('form', { name: 'Change the agent' });
  const field = (name: string) => form.getByLabel(new RegExp(`^${name}( \\*)?$`));
  const save = form.getByRole('button', { name: 'Save as a version' });
  expect(await field('Model').locator('option:checked').innerText()).toMatch(/^Connection Off, .* \(not active\)$/);
  expect(await save.isDisabled()).toBe(true);
  await form.getByLabel(`${gone} is deleted.`).uncheck();
  await field('A tool').check();
  await field('Name').fill('Night desk');
  await field('Model').selectOption(connectionId);
  await field('Welcome message').fill('Good evening!');
  await field('Seconds for one turn').fill('60');
  await browser.expectAccessible();
  await save.click();
  await form.getByText('These belong to version 2.').waitFor();
  await page.getByRole('heading', { name: 'Night desk' }).waitFor();
  const read = async () =>
    (await admin.get<{ data: object }>(`${ADMIN}/apps/${tenant.appId}/agents/${made.agentId}`)).body.data;
  const changed = {
    name: 'Night desk',
    connectionId,
    toolIds: [wanted],
    welcomeMessage: 'Good evening!',
    timeoutSeconds: 60,
  };
  expect(await read()).toMatchObject({ ...given, ...changed });
  await field('Model').selectOption('mock');
  await field('Welcome message').fill('');
  await field('A tool').uncheck();
  await save.click();
  await form.getByText('These belong to version 3.').waitFor();
  const emptied = { connectionId: null, modelId: null, model: null, toolIds: [], welcomeMessage: null };
  expect(await read()).toMatchObject({ ...given, ...changed, ...emptied });
});

it('names the model and the tools that differ between two versions, and marks long texts as a whole', async () => {
  const other = await makeTenant(service);
  const tool = await deployedTool(other);
  const { connectionId } = await makeConnection(other, { ...BODIES.Vendor1, connectionName: 'House model' });
  const long = (word: string) => Array.from({ length: 600 }, (_, at) => `${word}${at}`).join(' ');
  const made = await makeAgent(service, other.appId, { toolIds: [], instructions: long('was') });
  const path = `/api/admin/v1/apps/${other.appId}/agents/${made.agentId}`;
  await administratorOf(service).patch(path, { connectionId, toolIds: [tool], instructions: long('is') });
  await browser.open(inApp(other, `agents?agent=${made.agentId}`));
  await page.getByRole('button', { name: 'Version 2' }).click();
  const differences = page.getByRole('table', { name: 'Settings that differ' });
  await differences.getByRole('row', { name: 'connectionId' }).getByText('House model').waitFor();
  await differences.getByRole('row', { name: 'toolIds' }).getByText('A tool').waitFor();
  // Texts of which too much differs are not compared word by word.
  const marked = differences.getByRole('row', { name: 'instructions' }).locator('del, ins');
  expect(await marked.allInnerTexts()).toEqual([long('was'), long('is')]);
});

it('compares a version with the one before it, also behind a hundred later ones', async () => {
  const other = await makeTenant(service);
  const made = await makeAgent(service, other.appId, { instructions: 'text 1' });
  const path = `/api/admin/v1/apps/${other.appId}/agents/${made.agentId}`;
  const change = async (number: number) => {
    const { body } = await administratorOf(service).patch<{ data: { versionId: string } }>(path, {
      instructions: `text ${number}`,
    });
    return body.data.versionId;
  };
  await change(2);
  const third = await change(3);
  for (let number = 4; number <= 104; number += 1) await change(number);
  await browser.open(inApp(other, `agents?agent=${made.agentId}&version=${third}`));
  const instructions = page
    .getByRole('table', { name: 'Settings that differ' })
    .getByRole('row', { name: 'instructions' });
  await instructions.waitFor();
  expect(await instructions.locator('del, ins').allInnerTexts()).toEqual(['2', '3']);
});

it('keeps what is typed while a save runs', async () => {
  const other = await makeTenant(service);
  const made = await makeAgent(service, other.appId, { instructions: 'Be of help.' });
  const path = `/api/admin/v1/apps/${other.appId}/agents/${made.agentId}`;
  await browser.open(inApp(other, `agents?agent=${made.agentId}`));
  const form = page.getByRole('form', { name: 'Change the agent' });
  const field = (name: string) => form.getByRole('textbox', { name });
  const { promise: isTyped, resolve: typed } = Promise.withResolvers<void>();
  const isMeant = ({ pathname }: URL) => pathname === path;
  await page.route(isMeant, async (route) => {
    if (route.request().method() === 'PATCH') await isTyped;
    await route.continue();
  });
  await field('Instructions').fill('Be brief.');
  const sent = page.waitForRequest((request) => request.method() === 'PATCH');
  await form.getByRole('button', { name: 'Save as a version' }).click();
  await sent;
  await field('Instructions').fill('Be brief and kind.');
  await field('Welcome message').fill('Hello!');
  typed();
  await form.getByText('These belong to version 2.').waitFor();
  expect(await field('Instructions').inputValue()).toBe('Be brief and kind.');
  expect(await field('Welcome message').inputValue()).toBe('Hello!');
  await page.unroute(isMeant);
  const { body } = await administratorOf(service).get(path);
  expect(body).toMatchObject({ data: { instructions: 'Be brief.', welcomeMessage: null } });
});

it.each([
  ['does not exist', `${agentId}:${newId('agentVersion')}`, 1],
  ['is none', 'newest', 0],
])(
  'says in the playground that the version of the address %s, and leads to the active one',
  async (_, version, asked) => {
    browser.expectRefusals(404);
    await browser.open(inApp(tenant, `playground?version=${version}`));
    await page.getByRole('alert').getByText('The version in the address does not exist').waitFor();
    expect(
      await page
        .getByRole('alert')
        .getByText(/tr-[0-9A-Za-z]{22}/)
        .count(),
    ).toBe(asked);
    const send = page.getByRole('button', { name: 'Send' });
    expect(await send.isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Talk to the active one' }).click();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.has('version')).toBe(false);
    expect(await send.isDisabled()).toBe(false);
  },
);

it('keeps what it has read when it cannot be read again', async () => {
  await browser.open(inApp(tenant, 'agents'));
  const environments = page.getByRole('table', { name: 'Active versions' });
  await environments.getByRole('cell', { name: 'production', exact: true }).waitFor();
  browser.expectRefusals(404);
  const error = { code: 'NOT_NOW', message: 'Not now.' };
  await page.route('**/environments', (route) => route.fulfill({ status: 404, json: { error } }));
  await browser.comeBack();
  await page.getByRole('alert').waitFor();
  await environments.getByRole('cell', { name: 'production', exact: true }).waitFor();
  await page.unrouteAll({ behavior: 'wait' });
});

it('deletes an agent that is not active, and offers no roll back to it', async () => {
  browser.expectRefusals(409);
  const desk = inApp(tenant, `agents?agent=${agentId}`);
  await browser.open(desk);
  await pressAndConfirm(page, 'Delete');
  await page.getByRole('alert').getByText('AGENT_ACTIVE').waitFor();
  await makeActiveAgent(service, tenant, { name: 'Successor' });
  const production = page.getByRole('table', { name: 'Active versions' }).getByRole('row', { name: 'production' });
  await browser.open(inApp(tenant, 'agents'));
  await production.getByText('to Desk, version 1', { exact: true }).waitFor();
  await page.getByRole('table', { name: 'Agents' }).getByRole('button', { name: 'Desk', exact: true }).click();
  await pressAndConfirm(page, 'Delete');
  await production.getByText('No other version was active before.').waitFor();
  expect(
    await page.getByRole('table', { name: 'Agents' }).locator('tbody').getByRole('button').allInnerTexts(),
  ).toEqual(['Successor', 'Night desk']);
});

it('deactivates the only active agent, which can be deleted then', async () => {
  const other = await makeTenant(service);
  await makeActiveAgent(service, other, { name: 'Alone' });
  await browser.open(inApp(other, 'agents'));
  const production = page.getByRole('table', { name: 'Active versions' }).getByRole('row', { name: 'production' });
  await production.getByText('Alone, version 1').waitFor();
  await pressAndConfirm(production, 'Deactivate');
  await production.getByText('none').waitFor();
  await browser.expectAccessible();
  await page.getByRole('table', { name: 'Agents' }).getByRole('button', { name: 'Alone' }).click();
  await pressAndConfirm(page, 'Delete');
  await page.getByText('This app has no agent yet.').waitFor();
});
