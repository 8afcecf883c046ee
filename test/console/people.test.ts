import { oidcSettings, CALLBACK } from '../access/oidc.js';
import { startProvider } from '../agents/identity-provider.js';
import { administratorOf } from '../support/actors.js';
import { endConsoleSessions } from '../support/console.js';
import { openConsole } from '../support/console-browser.js';
import { startService } from '../support/service.js';
import { expectMarkupAsText, MARKUP } from './filled-app.js';

/** All people have the same name in the console. Their provider lets them choose any text. */
const claimsOf = () => ({ email: MARKUP, groups: ['cn=owners'] });
const idp = await startProvider({ redirectPath: CALLBACK, claimsOf });
const service = await startService(oidcSettings(idp.issuer));
const browser = await openConsole(service, { stop: async () => idp.stop() });
const { page } = browser;
// The pages of the provider ask for a font of another host.
beforeAll(() =>
  page.context().route(
    ({ host }) => host.includes('google'),
    (route) => route.fulfill({ body: '' }),
  ),
);

const withOpenIdConnect = (where = page) => where.getByRole('link', { name: 'Sign in with OpenID Connect' });
const signOut = (where = page) => where.getByRole('button', { name: 'Sign out' });

/** Answers what the provider asks: who signs in, and whether the console may know. */
async function signInAt(where: typeof page, login: string): Promise<void> {
  await where.getByPlaceholder('Enter any login').fill(login);
  await where.getByPlaceholder('and password').fill('any');
  await where.getByRole('button', { name: 'Sign-in' }).click();
  await where.getByRole('button', { name: 'Continue' }).click();
}

it('signs a person in at the provider, and shows who that is', async () => {
  await page.goto(`${service.url}/console/`);
  await withOpenIdConnect().waitFor();
  await browser.expectAccessible();
  await withOpenIdConnect().click();
  await signInAt(page, 'oscar');
  await signOut().waitFor();
  await page.getByRole('banner').getByText(`${MARKUP} · owner`).waitFor();
  expect(page.url()).not.toContain('#');
  await page.getByRole('link', { name: 'Administrators' }).click();
  await page
    .getByRole('table', { name: 'Console sessions' })
    .getByRole('cell', { name: MARKUP, exact: true })
    .waitFor();
  await expectMarkupAsText(page);
});

it('signs in again in a new tab, so that the page that was open keeps what was typed', async () => {
  browser.expectRefusals(401);
  await page.getByRole('link', { name: 'Projects', exact: true }).click();
  await page.getByRole('button', { name: 'New project', exact: true }).click();
  await page.getByLabel('Name').first().fill('Typed before');
  await endConsoleSessions(administratorOf(service));
  await page.getByRole('button', { name: 'Create a project' }).click();
  const opened = page.context().waitForEvent('page');
  await withOpenIdConnect().click();
  const tab = await opened;
  // The provider remembers the person.
  await signOut(tab).waitFor();
  await tab.close();
  await withOpenIdConnect().waitFor({ state: 'detached' });
  expect(await page.getByLabel('Name').first().inputValue()).toBe('Typed before');
  await page.getByRole('button', { name: 'Create a project' }).click();
  await page.getByRole('form', { name: 'Create an app' }).waitFor();
});

it('shows a person of the same name and role nothing of what the one before has typed', async () => {
  browser.expectRefusals(401);
  await browser.goTo('/');
  await page.getByRole('button', { name: 'New project', exact: true }).click();
  await page.getByLabel('Name').first().fill('Typed before');
  await endConsoleSessions(administratorOf(service));
  await page.getByRole('button', { name: 'Create a project' }).click();
  await withOpenIdConnect().waitFor();
  // The provider forgets the person.
  await page.context().clearCookies();
  const opened = page.context().waitForEvent('page');
  await withOpenIdConnect().click();
  const tab = await opened;
  await signInAt(tab, 'olga');
  await signOut(tab).waitFor();
  await tab.close();
  await withOpenIdConnect().waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'New project', exact: true }).waitFor();
  for (const field of await page.getByRole('textbox').all()) expect(await field.inputValue()).not.toBe('Typed before');
});
