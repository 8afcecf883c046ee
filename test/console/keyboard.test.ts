import { makeActiveAgent } from '../agents/make.js';
import { aCall, EVER, written } from '../ledger/calls.js';
import { makeTenant } from '../support/actors.js';
import { inApp, openSignedIn } from '../support/console-browser.js';
import { startService } from '../support/service.js';

const service = await startService();
const tenant = await makeTenant(service);
const { agentId } = await makeActiveAgent(service, tenant, { name: 'Desk', instructions: 'Be of help.' });
await written(tenant, ...Array.from({ length: 120 }, () => aCall()));
const browser = await openSignedIn(service);
const { page } = browser;

const LEDGER = inApp(tenant, `ledger?from=${EVER.fromDate}&to=${EVER.toDate}`);
const focused = () => page.evaluate<string>('document.activeElement.textContent');

it('a button that waits for an answer keeps the keyboard, and ignores presses meanwhile', async () => {
  await browser.see(LEDGER, '50 of 120 shown');
  const showMore = page.getByRole('button', { name: 'Show more' });
  let answer = (): void => undefined;
  const isAnswered = new Promise<void>((resolve) => (answer = resolve));
  let asked = 0;
  await page.route('**/llm-ledger?*', async (route) => {
    asked += 1;
    await isAnswered;
    await route.continue();
  });
  await showMore.focus();
  await page.keyboard.press('Enter');
  await showMore.and(page.locator('[aria-busy=true][aria-disabled=true]')).waitFor();
  await page.keyboard.press('Enter');
  expect(await focused()).toBe('Show more');
  expect(asked).toBe(1);
  answer();
  await page.getByText('100 of 120 shown').waitFor();
  await showMore.and(page.locator(':not([aria-busy])')).waitFor();
  expect(await focused()).toBe('Show more');
  await page.keyboard.press('Enter');
  await page.getByText('120 shown', { exact: true }).waitFor();
  expect(await page.evaluate<string>('document.activeElement.id')).toBe('main');
});

it('a button that its own press disables keeps the keyboard, and its form is not sent by Enter in a field', async () => {
  await browser.open(inApp(tenant, `agents?agent=${agentId}`));
  const form = page.getByRole('form', { name: 'Change the agent' });
  await form.getByLabel('Instructions').fill('Be brief.');
  await form.getByRole('button', { name: 'Save as a version' }).focus();
  await page.keyboard.press('Enter');
  await form.getByText('These belong to version 2.').waitFor();
  await form.getByRole('button', { name: 'Save as a version', disabled: true }).waitFor();
  expect(await focused()).toBe('Save as a version');
  const sent: string[] = [];
  page.on('request', (request) => sent.push(request.method()));
  await form.getByLabel(/^Name/).press('Enter');
  await page.keyboard.press('Tab');
  expect(sent).not.toContain('PATCH');
  await browser.expectAccessible();
});

it('shows another call in the place of the opened one, with the keyboard in it, while the list stays in use', async () => {
  await browser.open(LEDGER);
  const rows = page.getByRole('table', { name: 'Calls of models' }).locator('tbody button');
  const panel = page.getByRole('dialog');
  await rows.first().click();
  await panel.getByText('Time').first().waitFor();
  const first = new URL(page.url()).searchParams.get('call');
  await rows.nth(1).click();
  await page.waitForURL(({ searchParams }) => ![first, null].includes(searchParams.get('call')));
  await panel.and(page.locator(':focus')).waitFor();
  expect(await panel.getAttribute('aria-modal')).toBe('false');
  await page.goBack();
  await panel.waitFor({ state: 'detached' });
});

it('leads keyboards past the navigation', async () => {
  await browser.goTo(LEDGER);
  await page.getByRole('table', { name: 'Calls of models' }).waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  expect(await page.evaluate<boolean>(`document.activeElement.closest('main') !== null`)).toBe(true);
});

it('leads keyboards past the closed navigation of a narrow window, and through the open one to a page', async () => {
  await page.setViewportSize({ width: 390, height: 900 });
  await browser.open(inApp(tenant, 'agents'));
  await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
  const burger = page.getByRole('button', { name: 'Navigation', exact: true });
  const isNextIn = async (part: 'main' | 'nav') => {
    await page.getByRole('button', { name: 'Sign out', exact: true }).focus();
    await page.keyboard.press('Tab');
    return page.evaluate<boolean>(`document.activeElement.closest('${part}') !== null`);
  };
  expect(await burger.getAttribute('aria-expanded')).toBe('false');
  expect(await isNextIn('main')).toBe(true);
  await burger.press('Enter');
  await burger.and(page.locator('[aria-expanded=true]')).waitFor();
  expect(await isNextIn('nav')).toBe(true);
  await browser.expectAccessible();
  await page.getByRole('link', { name: 'Sessions' }).press('Enter');
  await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor();
  expect(await burger.getAttribute('aria-expanded')).toBe('false');
  expect(await page.evaluate<string>('document.activeElement.id')).toBe('main');
  await page.setViewportSize({ width: 1280, height: 900 });
});
