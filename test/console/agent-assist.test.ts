import { generateKeyPairSync } from 'node:crypto';
import type { Request } from 'playwright-core';
import { ADMIN, Desk, entry, exit, type JwtClient, summary } from '../agent-assist/bots.js';
import { hs256 } from '../agent-assist/tokens.js';
import { makeAgent } from '../agents/make.js';
import { makeConnection } from '../connections/make.js';
import { administratorOf, makeTenant } from '../support/actors.js';
import { faultsOf, inApp, openSignedIn, pressAndConfirm, skipPause } from '../support/console-browser.js';
import { subscribe } from '../webhooks/subscribe.js';
import { startService } from '../support/service.js';

const service = await startService();
const tenant = await makeTenant(service);
const desk = await Desk.open(service, tenant);
const browser = await openSignedIn(service);
const { page } = browser;

const TOO_LONG = 'n'.repeat(200);
const LONG_TEXT = 'Where is my parcel? '.repeat(5_000);
/** The number of lines of each time in the timeline. */
const LINES_OF_TIMES = `[...document.querySelectorAll('[aria-label=Timeline] td:first-child')].map((cell) => {
  const text = document.createRange();
  text.selectNodeContents(cell);
  return text.getClientRects().length;
})`;

async function read<Data>(path: string): Promise<Data> {
  return (await administratorOf(service).get<{ data: Data }>(ADMIN + path)).body.data;
}

it('shows the timeline of a conversation of the contact centre', async () => {
  await desk.tell('call-1', entry('NA'));
  await desk.say('call-1', 'Where is my parcel?');
  await desk.tell('call-1', summary());
  await browser.open(inApp(tenant, 'agent-assist'));
  await page.getByRole('button', { name: 'call-1' }).click();
  const conversation = page.getByRole('dialog');
  await conversation.getByText('Where is my parcel?').first().waitFor();
  await conversation.getByText('Agent A').first().waitFor();
  await conversation.getByText(/Summary before last exit: \w/).waitFor();
  await conversation
    .getByRole('region', { name: /^Summary/ })
    .getByText('Ready', { exact: true })
    .waitFor();
  await conversation.getByText(/^Text of summary/).waitFor();
  expect(await page.evaluate<number[]>(LINES_OF_TIMES)).toEqual([1, 1, 1]);
  const said = conversation.getByRole('columnheader', { name: 'Text and violations' });
  const { width } = (await conversation.getByRole('table', { name: 'Timeline' }).boundingBox())!;
  // Beside it, a time has one line, and an event and a name have room for a word.
  expect((await said.boundingBox())!.width).toBeGreaterThan(width * 0.45);
  await browser.expectAccessible();
});

it('shows what violates the order of a conversation, and why', async () => {
  await desk.tell('call-3', summary());
  await browser.open(inApp(tenant, 'agent-assist?conversation=call-3'));
  const timeline = page.getByRole('dialog').getByRole('table', { name: 'Timeline' });
  await timeline.getByText('A summary can be requested after the last agent has left').waitFor();
});

it('shows more of a long timeline, reads only its last page again, and shows the beginning of a long text', async () => {
  for (const part of [0, 1, 2]) {
    const agents = Array.from({ length: 20 }, (_, at) => `desk ${part} ${at}`);
    await desk.tell('call-2', ...agents.flatMap((agent) => [entry('NA', agent), exit('NA', agent)]));
  }
  await browser.open(inApp(tenant, 'agent-assist?conversation=call-2'));
  await page.getByText('100 of 120 events shown').waitFor();
  const conversation = page.getByRole('dialog');
  await conversation.getByRole('button', { name: 'Show more' }).click();
  await page.getByText('120 of 120 events shown').waitFor();
  const cursors: (string | null)[] = [];
  const note = (request: Request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname.endsWith('/conversations/call-2')) cursors.push(searchParams.get('cursor'));
  };
  page.on('request', note);
  expect((await desk.say('call-2', LONG_TEXT)).status).toBe(200);
  await browser.comeBackUntil(page.getByText('121 of 121 events shown'));
  page.off('request', note);
  expect(new Set(cursors)).toEqual(new Set([expect.any(String)]));
  const text = conversation.getByRole('table', { name: 'Timeline' }).getByRole('cell').last();
  expect((await text.textContent())!.length).toBeLessThan(3_000);
  await text.getByRole('button', { name: 'Show all 100,000 characters' }).click();
  expect(await text.textContent()).toBe(LONG_TEXT);
});

it('says that a bot of the address is unknown, and leads to the others', async () => {
  browser.expectRefusals(404);
  await browser.open(inApp(tenant, 'agent-assist?bot=st-unknown'));
  await page.getByRole('alert').getByText('This bot does not exist').waitFor();
  await page.getByLabel('Bot').selectOption(desk.botId);
  await page.getByRole('button', { name: 'call-1' }).waitFor();
});

it('makes a bot with all that it may use, says why one of them is not named, and changes it', async () => {
  browser.expectRefusals(400, 429);
  const { connectionId } = await makeConnection(tenant);
  const { agentId } = await makeAgent(service, tenant.appId, { name: 'Reply desk' });
  const callbackUrl = 'https://example.com/callbacks';
  const { subscriptionId } = await subscribe(service, tenant, { callbackUrl, displayName: 'Web chat' });
  await browser.open(inApp(tenant, 'agent-assist'));
  await page.getByRole('button', { name: 'New bot' }).click();
  const making = page.getByRole('form', { name: 'Create a bot' });
  await making.getByLabel('Name').fill('Full desk');
  await making.getByLabel('Connection').selectOption(connectionId);
  await making.getByLabel('Agent').selectOption('Reply desk');
  await making.getByLabel('Webhook subscription').selectOption('Web chat');
  await making.getByRole('checkbox', { name: 'Refuse events that come out of order' }).check();
  await browser.expectAccessible();
  await browser.expectToFit(390);
  await making.getByRole('button', { name: 'Create a bot' }).click();
  await page.getByRole('definition').getByText('Reply desk').waitFor();
  const botId = new URL(page.url()).searchParams.get('bot')!;
  const made = { name: 'Full desk', connectionId, agentId, subscriptionId, strict: true };
  expect(await read(`/bots/${botId}`)).toMatchObject(made);
  const error = { code: 'RATE_LIMIT_EXCEEDED', message: 'Wait for the 12 seconds in Retry-After.' };
  await page.route(`**/agents/${agentId}`, (route) => route.fulfill({ status: 429, json: { error } }));
  await page.reload();
  await page.getByRole('alert').getByText('There were too many requests. Wait a moment').waitFor();
  await page.getByRole('definition').getByText(agentId).waitFor();
  await page.unroute(`**/agents/${agentId}`);
  await page.getByRole('button', { name: 'Change', exact: true }).click();
  const changing = page.getByRole('form', { name: 'Change the bot' });
  await changing.getByLabel('Agent').selectOption('None');
  await changing.getByRole('checkbox').uncheck();
  await changing.getByLabel('Name').fill(TOO_LONG);
  await changing.getByRole('button', { name: 'Change the bot' }).click();
  await faultsOf(changing, 'Name').waitFor();
  await browser.expectAccessible();
  await browser.expectToFit(390);
  await changing.getByLabel('Name').fill('Night desk');
  await changing.getByRole('button', { name: 'Change the bot' }).click();
  await changing.waitFor({ state: 'detached' });
  await page.getByRole('definition').getByText('are marked').waitFor();
  const changed = { ...made, name: 'Night desk', agentId: null, strict: false };
  expect(await read(`/bots/${botId}`)).toMatchObject(changed);
});

it('deletes a bot with its conversations, and shows another one', async () => {
  const night = await Desk.open(service, tenant, { name: 'Old desk' });
  await night.tell('call-9', entry('NA'));
  await browser.open(inApp(tenant, `agent-assist?bot=${night.botId}&conversation=call-9`));
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'Delete the bot' }).click();
  await page.getByText('Its conversations are deleted, too').waitFor();
  await browser.expectAccessible();
  await page.getByRole('button', { name: 'Leave it' }).click();
  await pressAndConfirm(page, 'Delete the bot');
  await page.getByRole('button', { name: 'call-1' }).waitFor();
  expect(await page.getByLabel('Bot').innerText()).not.toContain('Old desk');
  expect(new URL(page.url()).searchParams.get('bot')).toBeNull();
  const { status } = await administratorOf(service).get(`${ADMIN}/bots/${night.botId}`);
  expect(status).toBe(404);
});

it('deletes the only bot, which stands in no address, and says how to create another one', async () => {
  const other = await makeTenant(service);
  await Desk.open(service, other);
  await browser.see(inApp(other, 'agent-assist'), 'No conversation was reported to this bot yet.');
  await pressAndConfirm(page, 'Delete the bot');
  await page.getByText('No contact centre reports conversations to this project yet.').waitFor();
  // They belong to the project.
  await page.getByRole('table', { name: 'JWT clients' }).waitFor();
});

describe('the JWT clients of a project', () => {
  const clients = page.getByRole('table', { name: 'JWT clients' });
  const form = page.getByRole('form', { name: 'Create a JWT client' });
  const row = (name: string) => clients.getByRole('row').filter({ hasText: name });
  const begin = () => page.getByRole('button', { name: 'New JWT client' }).click();
  const send = () => form.getByRole('button', { name: 'Create a JWT client' }).click();
  const newest = async () =>
    (await read<(JwtClient & { keyHint: string })[]>(`/projects/${tenant.projectId}/jwt-clients?order=desc`))[0]!;

  it('get a secret that is shown once, another one, and are revoked', async () => {
    browser.expectRefusals(400);
    await browser.open(inApp(tenant, 'agent-assist'));
    await begin();
    await form.getByLabel('Name').fill(TOO_LONG);
    await send();
    await faultsOf(form, 'Name').waitFor();
    await browser.expectAccessible();
    await browser.expectToFit(390);
    await form.getByLabel('Name').fill('Night shift');
    await form.getByRole('checkbox', { name: 'Tokens need the claim exp' }).check();
    await send();
    const shown = page.getByRole('status').filter({ hasText: 'The secret of Night shift is shown only now' });
    const secretOf = () => shown.locator('code').innerText();
    const first = await secretOf();
    const client = await newest();
    expect(client).toMatchObject({ name: 'Night shift', algorithm: 'HS256', requireExp: true, enforceJti: false });
    const exp = Math.floor(Date.now() / 1000) + 60;
    const outcomeWith = async (secret: string) => {
      const token = hs256(secret, { clientId: client.clientId, claims: { exp } });
      const body = { conversationId: 'call-3', botId: desk.botId, events: [entry('NA')] };
      return (await desk.post(body, { token })).status;
    };
    await skipPause(page);
    await row('Night shift').getByRole('button', { name: 'Rotate' }).click();
    await clients.getByLabel('The old value ends').selectOption('at once');
    await clients.getByRole('button', { name: 'Rotate: confirm' }).click();
    await shown.getByText(first).waitFor({ state: 'detached' });
    const second = await secretOf();
    expect([await outcomeWith(first), await outcomeWith(second)]).toEqual([401, 200]);
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await pressAndConfirm(row('Night shift'), 'Revoke');
    await row('Night shift').waitFor({ state: 'detached' });
    expect(await outcomeWith(second)).toBe(401);
  });

  it('get another name and other claims, and keep their secret', async () => {
    browser.expectRefusals(400);
    await browser.open(inApp(tenant, 'agent-assist'));
    await begin();
    await form.getByLabel('Name').fill('Early shift');
    await form.getByRole('checkbox', { name: 'Tokens need the claim exp' }).check();
    await send();
    await row('Early shift').waitFor();
    const { clientId, keyHint } = await newest();
    await row('Early shift').getByRole('button', { name: 'Change Early shift' }).click();
    const changing = page.getByRole('form', { name: 'Change the JWT client' });
    await changing.getByLabel('Name').fill(TOO_LONG);
    await changing.getByRole('button', { name: 'Change the JWT client' }).click();
    await faultsOf(changing, 'Name').waitFor();
    await browser.expectAccessible();
    await changing.getByLabel('Name').fill('Late shift');
    await changing.getByRole('checkbox', { name: 'Tokens need the claim exp' }).uncheck();
    await changing.getByRole('checkbox', { name: 'Tokens need the claim jti' }).check();
    await changing.getByRole('button', { name: 'Change the JWT client' }).click();
    await changing.waitFor({ state: 'detached' });
    await row('Late shift').getByText('jti', { exact: true }).waitFor();
    expect(await read(`/jwt-clients/${clientId}`)).toMatchObject({
      name: 'Late shift',
      keyHint,
      requireExp: false,
      enforceJti: true,
    });
    await pressAndConfirm(row('Late shift'), 'Revoke');
  });

  it('bring their own public key instead, and another one', async () => {
    browser.expectRefusals(400);
    const [first, second] = [0, 1].map(() => {
      const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
      return publicKey.export({ type: 'spki', format: 'pem' }) as string;
    });
    await browser.open(inApp(tenant, 'agent-assist'));
    await begin();
    await form.getByLabel('Name').fill('Late shift');
    await send();
    const shown = page.getByText('The secret of Late shift is shown only now');
    await shown.waitFor();
    await begin();
    await form.getByLabel('Name').fill('Day shift');
    await form.getByLabel('Algorithm').selectOption('RS256');
    await send();
    await form.getByRole('alert').getByText('The public key is missing.').waitFor();
    await form.getByLabel('Public key').fill(first!);
    await send();
    await row('Day shift').getByText('SHA256:').waitFor();
    const { keyHint } = await newest();
    const rotate = row('Day shift').getByRole('button', { name: 'Rotate' });
    const confirm = clients.getByRole('button', { name: 'Rotate: confirm' });
    const publicKey = clients.getByLabel('New public key');
    await rotate.click();
    await clients.getByText('Tokens that are signed with the present private key are refused in 1 day').waitFor();
    await publicKey.fill(second!);
    await clients.getByLabel('The old public key ends').selectOption('at once');
    await clients.getByRole('button', { name: 'Leave it' }).click();
    await rotate.click();
    expect(await publicKey.inputValue()).toBe('');
    // The field has no key yet, and without a choice the old one ends in a day.
    await confirm.and(page.locator('[aria-disabled=true]')).waitFor();
    await clients.getByText('are refused in 1 day').waitFor();
    await browser.expectAccessible();
    await publicKey.fill(second!);
    await confirm.click();
    await row('Day shift').getByText(keyHint).waitFor({ state: 'detached' });
    expect((await newest()).keyHint).toMatch(/^SHA256:/);
    // A client without a secret leaves what is shown of another one.
    await shown.waitFor();
    await browser.expectAccessible();
  });
});
