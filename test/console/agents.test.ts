import { makeActiveAgent } from '../agents/make.js';
import { makeTenant } from '../support/actors.js';
import { inApp, openSignedIn, pressAndConfirm } from '../support/console-browser.js';
import { startService } from '../support/service.js';

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
  await page.getByRole('table', { name: 'Agents' }).getByRole('button', { name: 'Desk' }).click();
  await pressAndConfirm(page, 'Delete');
  await production.getByText('No other version was active before.').waitFor();
  expect(await page.getByRole('table', { name: 'Agents' }).getByRole('button').allInnerTexts()).toEqual(['Successor']);
});
