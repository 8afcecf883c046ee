import { oidcSettings, CALLBACK } from '../access/oidc.js';
import { startProvider } from '../agents/identity-provider.js';
import { administratorOf } from '../support/actors.js';
import { endConsoleSessions } from '../support/console.js';
import { openConsole } from '../support/console-browser.js';
import { startService } from '../support/service.js';

const claimsOf = (login: string) => ({ email: `${login}@example.com`, groups: ['desk'] });
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
  await page.getByText('oscar@example.com').first().waitFor();
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
