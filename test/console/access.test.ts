import type { Locator } from 'playwright-core';
import { ME } from '../access/paths.js';
import { administratorOf, makeApp, makeTenant } from '../support/actors.js';
import { browserOf, signInToConsole } from '../support/console.js';
import { faultsOf, inApp, openSignedIn, pressAndConfirm, skipPause } from '../support/console-browser.js';
import { Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { startService } from '../support/service.js';

const service = await startService();
const tenant = await makeTenant(service);
const browser = await openSignedIn(service);
const { page } = browser;

const PROJECTS = '/api/admin/v1/projects';
const HOURS_LEFT = `select round(extract(epoch from valid_until - now()) / 3600)::int as hours
  from api_key_value join api_key on api_key.id = key_id where name = $1 and valid_until is not null`;

const scopes = page.getByRole('table', { name: 'Permissions by scope' });
const keys = page.getByRole('table', { name: 'API keys' });
const panel = page.getByRole('dialog');
const isFocused = (element: Locator) => element.and(page.locator(':focus')).waitFor();
const newKey = page.getByRole('form', { name: 'Create an API key' });
const outcomeWith = async (key: string) => (await Client.withKey(service, key).get(ME)).outcome;
const stored = page.getByRole('button', { name: 'I have stored it' });

it('says of a scope in the address that it is not there', async () => {
  await browser.open(inApp(tenant, `access?scope=as-${'0'.repeat(22)}`));
  await panel.getByText('This scope does not exist, or it was deleted.').waitFor();
});

it('begins with a scope, whose permissions are chosen from those that the service knows', async () => {
  const appId = await makeApp(service, tenant.projectId);
  await browser.see(inApp({ appId }, 'access'), 'This app has no scope yet.');
  await page.getByRole('definition').getByText(appId).waitFor();
  await page.getByText('Agent in production').waitFor();
  await page.getByText('Keys are created from a scope').waitFor();
  await page.getByRole('button', { name: 'New scope' }).click();
  await page.getByRole('textbox', { name: 'Name of the scope' }).fill('Backend');
  await page.getByRole('checkbox', { name: 'RUN_API' }).check();
  await page.getByText('Create and change model connections. Includes CONNECTIONS_VIEW.').waitFor();
  await browser.expectAccessible();
  await page.getByRole('button', { name: 'Create the scope' }).click();
  await scopes.getByRole('button', { name: 'Backend' }).waitFor();
  const granted = scopes.getByRole('row').filter({ hasText: 'yes' });
  expect(await granted.allInnerTexts()).toEqual([expect.stringMatching(/^RUN_API\b/)]);
});

it('makes a key, gives it new values beside the old one and instead of it, and revokes it', async () => {
  await newKey.getByLabel('Name').fill('server-1');
  await page.getByRole('button', { name: 'Create a key' }).click();
  await page.getByText('The key server-1 is shown only now').waitFor();
  const secret = page.getByRole('status').getByText(/^sw_/);
  const first = await secret.innerText();
  const end = keys.getByLabel('The old value ends');
  const rotate = keys.getByRole('button', { name: 'Rotate: confirm' });
  await skipPause(page);
  await keys.getByRole('button', { name: 'Rotate' }).click();
  expect(await end.inputValue()).toBe('in 1 day');
  await end.selectOption('in 1 hour');
  await keys.getByText('The present value works beside the new one, and ends in 1 hour.').waitFor();
  await browser.expectAccessible();
  await rotate.click();
  await page.getByRole('status').getByText(first).waitFor({ state: 'detached' });
  const second = await secret.innerText();
  expect([await outcomeWith(first), await outcomeWith(second)]).toEqual(['200', '200']);
  await page.context().grantPermissions(['clipboard-write']);
  await page.getByRole('button', { name: 'Copy', exact: true }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await service.database.rows(HOURS_LEFT, ['server-1'])).toEqual([{ hours: 1 }]);
  for (const choice of ['in 7 days', 'at once']) {
    await keys.getByRole('button', { name: 'Rotate' }).click();
    expect(await end.inputValue()).toBe('in 1 day');
    await end.selectOption(choice);
    if (choice !== 'at once') await keys.getByRole('button', { name: 'Leave it' }).click();
  }
  await keys.getByText('The present value stops working at once').waitFor();
  await rotate.click();
  await page.getByRole('status').getByText(second).waitFor({ state: 'detached' });
  // The new value was not copied.
  expect(await page.getByRole('button', { name: 'Copied' }).count()).toBe(0);
  const outcomes = await Promise.all([first, second, await secret.innerText()].map(outcomeWith));
  expect(outcomes).toEqual(['401 API_KEY_EXPIRED', '401 API_KEY_EXPIRED', '200']);
  await stored.click();
  await stored.waitFor({ state: 'detached' });
  // The question puts the keyboard on its harmless answer, which puts it back.
  await keys.getByRole('button', { name: 'Revoke' }).press('Enter');
  await keys.getByText('The key stops working at once and for good.').waitFor();
  await keys.getByRole('button', { name: 'Leave it' }).waitFor();
  await page.keyboard.press('Enter');
  await keys.getByRole('button', { name: 'Revoke server-1' }).waitFor();
  await skipPause(page);
  await page.keyboard.press('Enter');
  await keys.getByRole('button', { name: 'Revoke: confirm' }).click();
  await page.getByText('This app has no API key. Create one above').waitFor();
  // The button is gone with its row.
  await isFocused(page.locator('#main'));
});

it('renames a scope, limits it, says which permissions are above the limit, and deletes it', async () => {
  browser.expectRefusals(403);
  await scopes.getByRole('button', { name: 'Backend' }).click();
  await panel.getByRole('textbox', { name: 'Name of the scope' }).fill('Servers');
  await panel.getByRole('checkbox', { name: /^Limit the permissions/ }).check();
  await panel.getByRole('checkbox', { name: 'SESSION_CREATION', exact: true }).check();
  await panel.getByRole('button', { name: 'Save the scope' }).click();
  await panel.getByText('Granted, but above the limit: SESSION_CREATION').waitFor();
  await browser.expectAccessible();
  await panel.getByRole('checkbox', { name: 'SESSION_CREATION is within the limit' }).check();
  await panel.getByRole('button', { name: 'Save the scope' }).click();
  await panel.waitFor({ state: 'detached' });
  await scopes.getByRole('button', { name: 'Servers' }).click();
  await pressAndConfirm(panel, 'Delete');
  await page.getByText('This app has no scope yet.').waitFor();
});

it('puts another scope in the place of the opened one, without what was typed for that', async () => {
  const appId = await makeApp(service, tenant.projectId);
  const name = panel.getByRole('textbox', { name: 'Name of the scope' });
  for (const scopeName of ['Backend', 'Frontend'])
    await administratorOf(service).post(`/api/admin/v1/apps/${appId}/scopes`, { scopeName, permissions: {} });
  await browser.open(inApp({ appId }, 'access'));
  await scopes.getByRole('button', { name: 'Backend' }).click();
  await name.fill('Typed for the first');
  await scopes.getByRole('button', { name: 'Frontend' }).press('Enter');
  await panel.getByRole('heading', { name: 'Frontend' }).waitFor();
  const marked = scopes.locator('th[aria-current=true]');
  expect(await marked.allInnerTexts()).toEqual(['Frontend']);
  const colorOf = (selector: string) =>
    page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).backgroundColor`);
  expect(await colorOf('td[data-opened]')).toBe(await colorOf('th[aria-current]'));
  expect(await colorOf('td[data-opened]')).not.toBe(await colorOf('td'));
  await browser.expectAccessible();
  expect(await name.inputValue()).toBe('Frontend');
  await isFocused(panel);
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'detached' });
  await isFocused(scopes.getByRole('button', { name: 'Frontend' }));
});

it('shows a made API key once', async () => {
  await browser.open(inApp(tenant, 'access'));
  await page.getByRole('textbox', { name: 'Name' }).fill('made in the console');
  await page.getByRole('button', { name: 'Create a key' }).click();
  await page.getByText(/^The key .* is shown only now$/).waitFor();
  // The list shows the beginning of each key as well.
  const key = page.getByRole('status').getByText(/^sw_/);
  await eventually(
    () => key.boundingBox(),
    (box) => box !== null && box.y + box.height < 900,
  );
  const secret = await key.innerText();
  await stored.click();
  await stored.waitFor({ state: 'detached' });
  await keys.getByRole('cell', { name: 'made in the console', exact: true }).waitFor();
  expect(await page.locator('body').innerText()).not.toContain(secret);
});

it('makes a key that expires, and says why a time is refused', async () => {
  browser.expectRefusals(400);
  const { appId } = await makeTenant(service);
  await browser.open(inApp({ appId }, 'access'));
  await newKey.getByLabel('Name').fill('for the summer');
  await newKey.getByLabel('Expires').fill('2020-01-01T12:00');
  await newKey.getByRole('button', { name: 'Create a key' }).click();
  await faultsOf(newKey, 'The time must be in the future').waitFor();
  await browser.expectAccessible();
  await newKey.getByLabel('Expires').fill('2099-08-31T12:00');
  await newKey.getByRole('button', { name: 'Create a key' }).click();
  await stored.click();
  await keys.getByRole('row', { name: 'for the summer' }).getByText('31 Aug 2099, 12:00:00').waitFor();
  expect(await newKey.getByLabel('Expires').inputValue()).toBe('');
  const listed = await administratorOf(service).get(`/api/admin/v1/apps/${appId}/apikeys`);
  expect(listed.text).toContain(new Date('2099-08-31T12:00').toISOString());
});

it('changes when a key expires, says why a time is refused, and lets the key stay for good', async () => {
  browser.expectRefusals(400);
  const { appId } = await makeTenant(service);
  const expiries = async () => {
    type Keys = { data: { expiresAt: string | null }[] };
    const { body } = await administratorOf(service).get<Keys>(`/api/admin/v1/apps/${appId}/apikeys`);
    return body.data.map(({ expiresAt }) => expiresAt);
  };
  const form = page.getByRole('form', { name: 'Save the expiry' });
  const save = async (time: string) => {
    await form.getByLabel('Expiry').fill(time);
    await form.getByRole('button', { name: 'Save the expiry' }).click();
  };
  await browser.open(inApp({ appId }, 'access'));
  await keys.getByRole('button', { name: /^Set expiry of / }).click();
  await isFocused(form.getByLabel('Expiry'));
  await form.getByText('Key: ').waitFor();
  await save('2020-01-01T12:00');
  await faultsOf(form, 'Expiry must be in the future').waitFor();
  await browser.expectAccessible();
  await browser.expectToFit(390);
  await save('2098-08-31T12:00');
  await keys.getByText('31 Aug 2098, 12:00:00').waitFor();
  expect(await expiries()).toEqual([new Date('2098-08-31T12:00').toISOString()]);
  await form.waitFor({ state: 'detached' });
  await keys.getByRole('button', { name: /^Set expiry of / }).click();
  expect(await form.getByLabel('Expiry').inputValue()).toBe('2098-08-31T12:00');
  await save('');
  await form.waitFor({ state: 'detached' });
  expect(await expiries()).toEqual([null]);
});

it('renames an app, says why it is not deleted, and leads to the projects when it is', async () => {
  browser.expectRefusals(409);
  const other = await makeTenant(service);
  await browser.open(inApp(other, 'access'));
  await page.getByRole('button', { name: 'Rename the app' }).click();
  const form = page.getByRole('form', { name: 'Save the name of the app' });
  await form.getByLabel('Name').fill('Night desk');
  await form.getByRole('button', { name: 'Save the name of the app' }).click();
  await page.getByRole('definition').getByText('Night desk', { exact: true }).waitFor();
  await browser.expectAccessible();
  await pressAndConfirm(page, 'Delete the app');
  await page.getByRole('alert').getByText('APP_NOT_EMPTY').waitFor();
  const admin = administratorOf(service);
  await admin.delete(`/api/admin/v1/apps/${other.appId}/scopes/${other.scopeId}`);
  await pressAndConfirm(page, 'Delete the app');
  await page.getByRole('heading', { name: 'Projects', exact: true }).waitFor();
  expect((await admin.get(`/api/admin/v1/apps/${other.appId}`)).outcome).toBe('404 APP_NOT_FOUND');
});

it('revokes an administration key that was made here, and ends the session of another browser', async () => {
  await browser.open('/administrators');
  await page.getByRole('form', { name: 'Create an administration key' }).getByLabel('Name').fill('ada');
  await page.getByRole('button', { name: 'Create a key' }).click();
  await page.getByText('The key ada is shown only now').waitFor();
  const secret = await page.getByRole('status').locator('code').innerText();
  const signedInWith = async (key: string, userAgent: string) => {
    const signedIn = await signInToConsole(new Client(service.url, { 'x-api-key': key, 'user-agent': userAgent }));
    return browserOf(service.url, signedIn);
  };
  const outcomeOf = async (client: Client) => (await client.get(PROJECTS)).outcome;
  const [ofKey, other] = [
    await signedInWith(secret, 'Her browser'),
    await signedInWith(service.adminKey, 'Old browser'),
  ];
  const sessions = page.getByRole('table', { name: 'Console sessions' }).getByRole('row');
  const rowOf = (userAgent: string) => sessions.filter({ hasText: userAgent });
  await browser.comeBackUntil(rowOf('Old browser'));
  expect([await outcomeOf(ofKey), await outcomeOf(other)]).toEqual(['200', '200']);
  await pressAndConfirm(rowOf('Old browser'), 'End the session');
  await rowOf('Old browser').waitFor({ state: 'detached' });
  expect([await outcomeOf(ofKey), await outcomeOf(other)]).toEqual(['200', '401 API_KEY_MISSING']);
  const key = page.getByRole('table', { name: 'Administration keys' }).getByRole('row').filter({ hasText: 'ada' });
  await pressAndConfirm(key, 'Revoke');
  await key.waitFor({ state: 'detached' });
  // The session of the key has ended with it.
  await rowOf('Her browser').waitFor({ state: 'detached' });
  expect(await outcomeOf(ofKey)).toBe('401 API_KEY_MISSING');
  expect((await Client.withKey(service, secret).get(PROJECTS)).outcome).toMatch(/^401 /);
});
