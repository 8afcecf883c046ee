import { oidcSettings, CALLBACK } from '../access/oidc.js';
import { startProvider } from '../agents/identity-provider.js';
import { administratorOf } from '../support/actors.js';
import { endConsoleSessions } from '../support/console.js';
import { openConsole } from '../support/console-browser.js';
import { startService } from '../support/service.js';

/** The people of the desk share an address, so all of them have the same name in the console. */
const claimsOf = () => ({ email: 'desk@example.com', groups: ['desk'] });
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
  await page.getByText('desk@example.com').first().waitFor();
  expect(page.url()).not.toContain('#');
});

it('signs in again in a new tab, so that the page that was open keeps what was typed', async () => {
  browser.expectRefusals(401);
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
