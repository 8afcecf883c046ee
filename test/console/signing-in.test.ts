import type { Route } from 'playwright-core';
import { revokeAdminKey, makeAdminKey } from '../support/admin-keys.js';
import { administratorOf, makeTenant } from '../support/actors.js';
import { Client } from '../support/client.js';
import { endConsoleSessions } from '../support/console.js';
import { inApp, openConsole } from '../support/console-browser.js';
import { eventually } from '../support/eventually.js';
import { startService } from '../support/service.js';

const service = await startService();
const browser = await openConsole(service);
const { page } = browser;
beforeAll(() => page.clock.install());

/** Pages refresh several times in this time. */
const REFRESHES_MS = 30_000;

const key = page.getByRole('dialog').getByLabel('Administration key');
const signInButton = page.getByRole('button', { name: 'Sign in' });
const signOutButton = page.getByRole('button', { name: 'Sign out', exact: true });

/** Sends the form of the page, which may have found out by itself that the session has ended, so that a dialog covers it. */
const sendInBackground = () =>
  page.getByRole('button', { name: 'Create a key', includeHidden: true }).dispatchEvent('click');

/** Signs in. The page of a session that has ended stays behind the window, so its buttons do not tell when that is done. */
async function enter(adminKey: string): Promise<void> {
  await key.fill(adminKey);
  await signInButton.click();
  await key.waitFor({ state: 'detached' });
}

// Sessions end in most of these tests, and the page may learn of it in the next one.
beforeEach(() => browser.expectRefusals(401));

it('a wrong key is refused with the sentence and the id of the request', async () => {
  await browser.goTo('/');
  await key.fill('swa_wrong');
  expect(await page.getByText('Your session has ended').count()).toBe(0);
  await signInButton.click();
  await page.getByRole('alert').getByText('This is not a valid administration key.').waitFor();
  await page.getByText(/tr-[0-9A-Za-z]{22}/).waitFor();
  await browser.expectAccessible();
});

it('an administrator signs in for a cookie that scripts cannot read, and the browser keeps no key', async () => {
  await browser.signIn();
  const [cookie] = await browser.cookies();
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict' });
  const kept = await page.evaluate<string>(
    'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
  );
  expect(kept).not.toContain(service.adminKey);
  await browser.expectAccessible();
});

it('a reload keeps the session', async () => {
  await page.reload();
  await signOutButton.waitFor();
});

it('a service that cannot say who is signed in is asked again, and no key is asked for', async () => {
  browser.expectRefusals(503);
  const json = { error: { code: 'SERVER_BUSY', message: 'Too many requests run. Try again.' } };
  await page.route('**/console-sessions/current', (route) => route.fulfill({ status: 503, json }), { times: 1 });
  await page.reload();
  await page.getByRole('alert').getByText('Too many requests run.').waitFor();
  expect(await key.count()).toBe(0);
  await page.clock.runFor(REFRESHES_MS);
  await signOutButton.waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
});

it('a page that is loaded while the service does not answer says that it asks again, and does so', async () => {
  browser.expectReports(/net::ERR_/);
  await page.route('**/api/**', (route) => route.abort('connectionrefused'));
  await page.reload();
  await page.getByRole('alert').getByText('The service does not answer. The page tries again by itself.').waitFor();
  await page.clock.runFor(REFRESHES_MS);
  expect(await page.getByRole('alert').count()).toBe(1);
  await browser.lookAway();
  let asked = 0;
  page.on('request', () => (asked += 1));
  await page.clock.runFor(REFRESHES_MS);
  await page.getByRole('alert').waitFor();
  expect(asked).toBe(0);
  page.removeAllListeners('request');
  await page.unroute('**/api/**');
  await browser.comeBack();
  await signOutButton.waitFor();
  await page.getByRole('alert').waitFor({ state: 'detached' });
});

it('a session that ends while a form is open asks for the key, and loses nothing typed', async () => {
  await browser.goTo('/administrators');
  await page.getByLabel('Name').fill('ada');
  // The page would find out by itself before the button is pressed if the session ended earlier.
  await page.route('**/admin-keys', async (route) => {
    if (route.request().method() === 'POST') await endConsoleSessions(administratorOf(service));
    await route.fallback();
  });
  // Lists of the page may be read at the same time.
  const [write, look] = ['POST /api/admin/v1/admin-keys', 'GET /api/admin/v1/console-sessions/current'];
  const asked: string[] = [];
  page.on('request', (request) => asked.push(`${request.method()} ${new URL(request.url()).pathname}`));
  await page.getByRole('button', { name: 'Create a key' }).click();
  await key.waitFor();
  await page.getByRole('dialog').getByText('Your session has ended').waitFor();
  expect(asked.filter((each) => each === write || each === look)).toEqual([write, look]);
  page.removeAllListeners('request');
  await page.unroute('**/admin-keys');
  await page.getByRole('main').getByText('Sign in, and try again.').waitFor({ state: 'attached' });
  expect(await page.getByLabel('Name').isVisible()).toBe(false);
  await enter(service.adminKey);
  expect(await page.getByLabel('Name').inputValue()).toBe('ada');
  // The refusal is no longer true, and the button that was pressed has the keyboard again.
  await page.getByText('Sign in, and try again.').waitFor({ state: 'detached' });
  await eventually(
    () => page.evaluate<string>('document.activeElement.textContent'),
    (text) => text === 'Create a key',
  );
});

it('shows another person nothing of what the one before has read or typed', async () => {
  const { projectId } = await makeTenant(service);
  const viewer = await makeAdminKey(service, undefined, 'viewer', projectId);
  await browser.goTo('/administrators');
  await page.getByLabel('Name').fill('typed before');
  await page.getByRole('cell', { name: viewer.name, exact: true }).waitFor();
  await endConsoleSessions(administratorOf(service));
  await sendInBackground();
  browser.expectRefusals(403);
  await enter(viewer.adminKey);
  await page.getByRole('alert').getByText('PERMISSION_DENIED').first().waitFor();
  expect(await page.getByRole('cell', { name: viewer.name, exact: true }).count()).toBe(0);
  expect(await page.content()).not.toContain('typed before');
  for (const field of await page.getByRole('textbox').all()) expect(await field.inputValue()).toBe('');
  await signOutButton.click();
  await enter(service.adminKey);
});

it('an answer from before the sign-in asks for no key again', async () => {
  const { promise: isSignedIn, resolve: goOn } = Promise.withResolvers<void>();
  const current = '**/console-sessions/current';
  const holdOne = async (route: Route) => {
    const response = await route.fetch();
    await isSignedIn;
    await route.fulfill({ response });
  };
  await page.route(current, holdOne, { times: 1 });
  await endConsoleSessions(administratorOf(service));
  await sendInBackground();
  await page.clock.runFor(REFRESHES_MS);
  await enter(service.adminKey);
  const isAnswered = page.waitForResponse(current);
  goOn();
  await (await isAnswered).finished();
  // A click waits until nothing is in front of the button.
  await page.getByLabel('Name').fill('hopper');
  await page.getByRole('button', { name: 'Create a key' }).click();
  await page.getByText('hopper').first().waitFor();
});

it('a session that ends while a form is open in a side panel asks for the key before the panel', async () => {
  const { appId, scopeId } = await makeTenant(service);
  await browser.goTo(inApp({ appId }, `access?scope=${scopeId}`));
  const description = page.getByLabel('Description');
  await description.fill('For the desk');
  await endConsoleSessions(administratorOf(service));
  await page.clock.runFor(REFRESHES_MS);
  await key.fill(service.adminKey);
  // Neither the panel nor the dialog has a banner beside that of the page.
  expect(await page.locator('header').count()).toBe(1);
  await page.mouse.click(5, 450);
  await page.setViewportSize({ width: 390, height: 844 });
  await signInButton.click();
  await key.waitFor({ state: 'detached' });
  await page.setViewportSize({ width: 1280, height: 900 });
  expect(await description.inputValue()).toBe('For the desk');
  await page.getByRole('button', { name: 'Close', exact: true }).click();
});

it('a revoked key ends its sessions, and nothing that was read with it is seen any more', async () => {
  const made = await makeAdminKey(service, 'grace');
  const tenant = await makeTenant(service);
  await signOutButton.click();
  await enter(made.adminKey);
  await browser.goTo(inApp(tenant, `access?scope=${tenant.scopeId}`));
  const panel = page.getByRole('dialog', { name: tenant.scopeName });
  await panel.waitFor();
  const title = page.getByRole('heading', { name: 'Access', level: 1 });
  await title.waitFor();
  const apps = page.getByRole('navigation').getByRole('combobox');
  await apps.waitFor();
  await revokeAdminKey(service, made.adminKeyId);
  // The page may have found out by itself, and has then hidden the link.
  await page.getByRole('link', { name: 'Audit', includeHidden: true }).dispatchEvent('click');
  await key.waitFor();
  for (const shown of [panel, title, apps]) expect(await shown.isVisible()).toBe(false);
});

it('a revoked key is out soon on a page that asks for nothing', async () => {
  const made = await makeAdminKey(service);
  await enter(made.adminKey);
  await browser.goTo('/no-page');
  await page.getByText('There is no page at this address.').waitFor();
  await revokeAdminKey(service, made.adminKeyId);
  await page.clock.runFor(REFRESHES_MS);
  await key.waitFor();
});

it('goes on with the session of another tab, whose cookie has replaced its own', async () => {
  await browser.goTo('/jobs');
  await enter(service.adminKey);
  const headers = { 'x-api-key': service.adminKey };
  // These requests have the cookies of the browser, as those of another tab do.
  await page.context().request.post(`${service.url}/api/admin/v1/console-sessions`, { headers });
  const isRead = page.waitForResponse((each) => each.url().includes('/api/admin/v1/audit?') && each.status() === 200);
  await page.getByRole('link', { name: 'Audit' }).click();
  await isRead;
  expect(await key.count()).toBe(0);
  await signOutButton.click();
  await key.waitFor();
});

it('signs in and out all tabs together', async () => {
  const other = await page.context().newPage();
  await other.goto(`${service.url}/console/jobs`);
  await Promise.all([other.getByLabel('Administration key').waitFor(), key.waitFor()]);
  await enter(service.adminKey);
  await other.getByLabel('Administration key').waitFor({ state: 'detached' });
  await other.getByRole('heading', { name: 'Jobs' }).waitFor();
  await signOutButton.click();
  await Promise.all([other.getByLabel('Administration key').waitFor(), key.waitFor()]);
  // Nothing of the pages can be read in either tab.
  expect(await other.getByRole('heading', { name: 'Jobs' }).count()).toBe(0);
  await other.close();
});

it('a sign-out that waits for the service stops when another tab signs out and in again', async () => {
  browser.expectReports(/net::ERR_/);
  await enter(service.adminKey);
  const other = await page.context().newPage();
  await other.goto(`${service.url}/console/jobs`);
  const sessions = '**/api/admin/v1/console-sessions/*';
  const refuse = (route: Route) => (route.request().method() === 'DELETE' ? route.abort() : route.fallback());
  await page.route(sessions, refuse);
  await signOutButton.click();
  await page.getByRole('alert').getByText('The service does not answer.').waitFor();
  await other.getByRole('button', { name: 'Sign out', exact: true }).click();
  await key.waitFor();
  await page.clock.runFor(REFRESHES_MS);
  await other.getByLabel('Administration key').fill(service.adminKey);
  await other.getByRole('button', { name: 'Sign in' }).click();
  await signOutButton.waitFor();
  await page.unroute(sessions, refuse);
  const methods: string[] = [];
  page.on('request', (request) => methods.push(request.method()));
  await page.clock.runFor(REFRESHES_MS);
  expect(await page.getByRole('alert').count()).toBe(0);
  await signOutButton.click();
  await Promise.all([other.getByLabel('Administration key').waitFor(), key.waitFor()]);
  expect(methods.filter((method) => method === 'DELETE')).toHaveLength(1);
  page.removeAllListeners('request');
  await other.close();
});

it('a sign-out after another person has signed in elsewhere in the browser leaves that person signed in', async () => {
  const grace = await makeAdminKey(service);
  await enter(service.adminKey);
  const headers = { 'x-api-key': grace.adminKey };
  // The answer replaces the cookie, and the page does not learn it, as if the other tab were still loading the console.
  await page.context().request.post(`${service.url}/api/admin/v1/console-sessions`, { headers });
  await signOutButton.click();
  await page.getByText(`${grace.name} · owner`).waitFor();
  expect(await key.count()).toBe(0);
  await signOutButton.click();
  await key.waitFor();
});

it('no page asks for anything while the key is needed', async () => {
  await browser.goTo('/jobs');
  await enter(service.adminKey);
  await page.getByRole('table', { name: 'Jobs' }).or(page.getByText('There is no job yet.')).first().waitFor();
  await endConsoleSessions(administratorOf(service));
  await page.clock.runFor(REFRESHES_MS);
  await key.waitFor();
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.clock.runFor(REFRESHES_MS);
  expect(asked).toEqual([]);
  await key.fill(service.adminKey);
  await Promise.all([page.waitForRequest(/\/jobs/), signInButton.click()]);
  await signOutButton.waitFor();
});

it('serves the page at every address, assets for ever, and nothing else', async () => {
  const stranger = new Client(service.url);
  const html = await fetch(`${service.url}/console/apps/x/ledger`);
  expect(html.headers.get('content-type')).toContain('text/html');
  expect(html.headers.get('content-security-policy')).toContain("default-src 'self'");
  expect(html.headers.get('content-security-policy')).not.toContain('unsafe');
  const [, script] = /src="(\/console\/assets\/[^"]+\.js)"/.exec(await html.text())!;
  const asset = await fetch(service.url + script!);
  expect(asset.headers.get('cache-control')).toContain('immutable');
  expect((await stranger.get('/console/assets/none.js')).outcome).toBe('404 ROUTE_NOT_FOUND');
  const refused = await stranger.post('/console/');
  expect([refused.outcome, refused.headers.get('allow')]).toEqual(['405 METHOD_NOT_ALLOWED', 'GET, HEAD']);
});
