import { administratorWith } from '../support/admin-keys.js';
import { inApp, openConsole, skipPause } from '../support/console-browser.js';
import { eventually } from '../support/eventually.js';
import { Receiver } from '../support/receiver.js';
import { startService } from '../support/service.js';
import { makeTenant } from '../support/actors.js';
import { fillApp, MARKUP } from './filled-app.js';

const service = await startService();
const receiver = await Receiver.start();
const { tenant, pages, panels } = await fillApp(service, receiver);
const browser = await openConsole(service, receiver);
const { page } = browser;
const READABLE = [...pages, ...Object.keys(panels), '/jobs', '/system'];
const isOfAudit = (path: string) => path.startsWith('/audit');

/**
 * Presses every button that is not disabled once, also those that appear meanwhile, and those of forms that lack what they
 * need. Buttons of one name are one. A confirmation is pressed as soon as that is possible, before what takes it away.
 * Returns how many were pressed.
 */
const PRESS_ALL = `(async (pressed) => {
  const before = pressed.size;
  const nameOf = ({ ariaLabel, textContent }) => ariaLabel ?? textContent;
  const nextTask = () => new Promise((resolve) => setTimeout(resolve));
  const drawn = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  const isOff = (button) => button.disabled || button.ariaDisabled === 'true';
  const isConfirmation = (button) => nameOf(button).endsWith(': confirm');
  const buttons = () => [...document.querySelectorAll('main button, [role=dialog] button')]
    .reverse()
    .filter((button) => !pressed.has(nameOf(button)));
  // The title of a button says that the role may not press it.
  const isPausing = (button) => isConfirmation(button) && isOff(button) && button.title === '';
  const next = async () => {
    while (buttons().some(isPausing)) await drawn();
    const offered = buttons().filter((button) => !isOff(button));
    return offered.find(isConfirmation) ?? offered[0];
  };
  for (let button = await next(); button; button = await next()) {
    pressed.add(nameOf(button));
    for (const form of document.forms) form.noValidate = true;
    button.click();
    await nextTask();
  }
  await drawn();
  return pressed.size - before;
})(window.pressed)`;

/** The requests that the service has refused because of the role, and the windows that ask for a file. */
const refused: string[] = [];
let running = 0;
beforeAll(() => {
  page.on('request', () => running++);
  page.on('requestfinished', () => running--);
  page.on('requestfailed', () => running--);
  page.on('filechooser', () => refused.push('choice of a file'));
  page.on('response', (response) => {
    if (response.status() === 403) refused.push(`${response.request().method()} ${response.url()}`);
  });
});

/** Presses all buttons, and those that appear because of that, until there are no more. */
async function pressAll(): Promise<void> {
  await page.evaluate('window.pressed = new Set()');
  let pressed = 0;
  for (let more = 1; more > 0; pressed += more) {
    more = await page.evaluate<number>(PRESS_ALL);
    await eventually(
      () => running,
      (count) => count === 0,
    );
  }
  expect(pressed).toBeGreaterThan(0);
}

async function pressAllOffered(): Promise<void> {
  await pressAll();
  expect(refused).toEqual([]);
}

/** Lets the page take the user for one with other roles. */
async function showWith(roles: object): Promise<void> {
  await page.route('**/console-sessions/current', async (route) => {
    const response = await route.fetch();
    const body = (await response.json()) as { data: object };
    await route.fulfill({ response, json: { ...body, data: { ...body.data, ...roles } } });
  });
}

describe('a viewer', () => {
  beforeAll(async () => browser.signInAtOnce(await administratorWith(service, 'viewer')));
  // The call of the ledger names a session that was never here, and the MCP server does not exist.
  beforeEach(() => browser.expectRefusals(400, 404, 502));

  it.each(READABLE.filter((path) => !isOfAudit(path)))('can press every button of %s that is offered', async (path) => {
    await browser.see(path, path === '/jobs' || path === '/system' ? 'ledger.tidy' : MARKUP);
    await pressAllOffered();
  });

  it('cannot send a message of the playground by Enter', async () => {
    await browser.see(inApp(tenant, 'playground'), 'Send');
    const message = page.getByRole('textbox', { name: 'Message' });
    await message.fill('Hello');
    await message.press('Enter');
    expect(await message.inputValue()).toBe('Hello');
    expect(await page.getByRole('article').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Send' }).getAttribute('title')).toMatch(/^Your role can read/);
  });
});

it.each(READABLE.filter(isOfAudit))('an auditor can press every button of %s that is offered', async (path) => {
  await browser.signInAtOnce(await administratorWith(service, 'auditor'));
  await browser.goTo(path);
  await page.getByRole('table', { name: 'Changes of the configuration' }).waitFor();
  await pressAllOffered();
});

it('a person who changes one project and reads another is offered changes of the first alone', async () => {
  const other = await makeTenant(service);
  const projectRoles = [
    { projectId: tenant.projectId, role: 'viewer' },
    { projectId: other.projectId, role: 'operator' },
  ];
  await browser.signInAtOnce();
  // A key has one role. Several come from the groups of an OpenID Connect provider.
  await showWith({ role: null, projectRoles });
  const newAgent = page.getByRole('button', { name: 'New agent' });
  await browser.goTo(inApp(tenant, 'agents'));
  await newAgent.and(page.locator('[aria-disabled]')).waitFor();
  await browser.goTo(inApp(other, 'agents'));
  await newAgent.and(page.locator(':not([aria-disabled])')).waitFor();
  await page.unrouteAll({ behavior: 'wait' });
});

it('a person who audits one project and reads another sees the audit of the first', async () => {
  const other = await makeTenant(service);
  const projectRoles = [
    { projectId: tenant.projectId, role: 'viewer' },
    { projectId: other.projectId, role: 'auditor' },
  ];
  await browser.signInAtOnce();
  await showWith({ role: null, projectRoles });
  await browser.goTo('/audit');
  await page.getByRole('table', { name: 'Changes of the configuration' }).waitFor();
  expect(await page.getByRole('main').getByLabel('Project', { exact: true }).inputValue()).toBe(other.projectId);
  await page.unrouteAll({ behavior: 'wait' });
});

it('the confirmations are pressed, too, where a page offers what the role may not do', async () => {
  browser.expectRefusals(400, 403);
  await browser.signInAtOnce(await administratorWith(service, 'viewer'));
  await showWith({ role: 'owner' });
  await browser.goTo(inApp(tenant, 'access'));
  await page
    .getByRole('table', { name: 'API keys' })
    .getByRole('button', { name: /^Revoke / })
    .waitFor();
  await skipPause(page, Infinity);
  await pressAll();
  const confirmed = refused.splice(0);
  expect(confirmed.some((request) => /^DELETE .*\/apikeys\//.test(request))).toBe(true);
  expect(confirmed.some((request) => /^POST .*\/rotate$/.test(request))).toBe(true);
  await page.unrouteAll({ behavior: 'wait' });
});
