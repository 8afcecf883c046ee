import { makeAgent } from '../agents/make.js';
import { administratorOf } from '../support/actors.js';
import { inApp, openConsole, pressAndConfirm, untilAnswered } from '../support/console-browser.js';
import { Client } from '../support/client.js';
import { Receiver } from '../support/receiver.js';
import { startService } from '../support/service.js';
import { aSpan, exportOf, sent } from '../traces/spans.js';
import { type Accepted, bodyFor, MESSAGE, openChannel, replyTo } from '../webhooks/channel.js';

const service = await startService();
const receiver = await Receiver.start();
const channel = await openChannel(service, { callbackUrl: receiver.url(), displayName: 'Web chat' });
const { appId, scopeName } = channel.tenant;
const browser = await openConsole(service, receiver);
const { page } = browser;

const pageOf = (name: string) => inApp({ appId }, name);

it('shows the journey of the README, from the sign-in to the revoked key', async () => {
  await browser.signIn();
  await page.getByText('A project').first().waitFor();

  // Create a key. Only this answer shows its value.
  await browser.open(pageOf('access'));
  const form = page.getByRole('form', { name: 'Create an API key' });
  await form.getByLabel('Scope').selectOption(scopeName);
  await form.getByLabel('Name').fill('journey');
  await form.getByRole('button', { name: 'Create a key' }).click();
  const key = await page.getByRole('status').getByText(/^sw_/).innerText();
  await page.getByRole('button', { name: 'I have stored it' }).click();
  const client = Client.withKey(service, key);

  // Talk to the agent, and see the conversation with its trace.
  await browser.open(pageOf('playground'));
  const message = page.getByRole('textbox', { name: 'Message' });
  await message.fill('Is anybody there?');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByRole('article').getByText('Is anybody there?').first().waitFor();
  // Leaving the page cancels an answer that has not ended.
  await untilAnswered(message);
  await browser.open(pageOf('sessions'));
  await page.getByRole('table', { name: 'Sessions' }).getByRole('button').first().click();
  await page.getByRole('table', { name: 'Steps of the trace' }).getByRole('button').first().waitFor();

  // The call is in the ledger.
  await browser.open(pageOf('ledger'));
  const call = page.getByRole('table', { name: 'Calls of models' }).locator('tbody').getByRole('row').first();
  await call.getByText('mock').first().waitFor();
  await call.getByRole('button').first().click();
  const panel = page.getByRole('dialog');
  await panel.getByText(/^[1-9]\d* in, [1-9]\d* out$/).waitFor();
  await panel
    .getByRole('term')
    .filter({ hasText: /^Cost$/ })
    .waitFor();

  // A message with the new key is answered by a callback, which the console shows as delivered.
  const { body, outcome } = await client.post<Accepted>(MESSAGE, bodyFor(channel, { message: 'Hello' }));
  expect(outcome).toBe('202');
  await replyTo(receiver, body);
  await browser.open(pageOf('webhooks'));
  await page.getByRole('button', { name: 'Web chat' }).click();
  await page.getByRole('table', { name: 'Deliveries' }).getByText('DELIVERED').first().waitFor();
  await page.getByRole('table', { name: 'Deliveries' }).getByRole('button').first().click();
  await page.getByRole('dialog').getByRole('region', { name: 'Attempt 1', exact: true }).waitFor();
  const attempt = page.getByRole('dialog').getByRole('region', { name: 'Attempt 1', exact: true });
  await attempt.getByText(receiver.url(), { exact: true }).waitFor();
  await attempt.getByRole('region', { name: 'Headers of attempt 1' }).getByText('"agent.response"').waitFor();
  await attempt.getByRole('region', { name: 'Answer to attempt 1' }).waitFor();
  await page
    .getByRole('dialog')
    .getByRole('region', { name: 'Request body' })
    .getByText(/session_key/)
    .waitFor();

  // End the session.
  await browser.open(pageOf('sessions'));
  await page.getByRole('table', { name: 'Sessions' }).getByRole('button').first().click();
  await pressAndConfirm(page, 'End the session');
  await page.getByText('Terminated', { exact: true }).waitFor();
  expect(await page.getByRole('button', { name: 'End the session' }).count()).toBe(0);

  // Revoke the key. Its next request is refused.
  await browser.open(pageOf('access'));
  const row = page.getByRole('table', { name: 'API keys' }).getByRole('row').filter({ hasText: 'journey' });
  await pressAndConfirm(row, 'Revoke');
  await row.waitFor({ state: 'detached' });
  expect((await client.get('/api/public/me')).status).toBe(401);
  await browser.expectAccessible();
});

describe('a page that stays open', () => {
  it('shows the new version of an agent, and keeps what its form holds', async () => {
    const { agentId } = await makeAgent(service, appId);
    const change = (instructions: string) =>
      administratorOf(service).patch(`/api/admin/v1/apps/${appId}/agents/${agentId}`, { instructions });
    const text = page.getByRole('textbox', { name: 'Instructions' });
    await browser.open(pageOf(`agents?agent=${agentId}`));
    await page.getByText('These belong to version 1.').waitFor();
    await change('Made elsewhere.');
    await browser.comeBackUntil(page.getByText('These belong to version 2.'));
    expect(await text.inputValue()).toBe('Made elsewhere.');
    await text.fill('Typed here.');
    await change('Made elsewhere again.');
    await browser.comeBackUntil(page.getByText('Version 3 was made meanwhile. What you changed began with version 2.'));
    expect(await text.inputValue()).toBe('Typed here.');
    await browser.expectAccessible();
    await page.getByRole('button', { name: 'Save as a version' }).click();
    await page.getByText('These belong to version 4.').waitFor();
    expect(await text.inputValue()).toBe('Typed here.');
    // A page that did not read the newest version yet learns of it before it saves.
    await browser.lookAway();
    await text.fill('Typed at the same time.');
    await change('Saved a moment before.');
    await page.getByRole('button', { name: 'Save as a version' }).click();
    await page.getByText('Version 5 was made meanwhile. What you changed began with version 4.').waitFor();
    await page.getByRole('button', { name: 'Save as a version' }).click();
    await page.getByText('These belong to version 6.').waitFor();
    await browser.comeBack();
    // The opened version stands in the address.
    await page.getByRole('button', { name: 'Version 4' }).click();
    await page.reload();
    await page.getByRole('dialog', { name: 'Version 4' }).getByRole('button', { name: 'Activate' }).waitFor();
  });

  it('shows the step of a trace that arrives later', async () => {
    const { traceId, ...first } = aSpan({ name: 'the first step' });
    await sent(channel.tenant, exportOf([{ traceId, ...first }]));
    await browser.open(pageOf('traces?name=the+first+step'));
    await page.getByRole('table', { name: 'Traces' }).getByRole('button').click();
    await page.getByRole('button', { name: 'the first step' }).waitFor();
    await sent(channel.tenant, exportOf([aSpan({ traceId, name: 'the late step' })]));
    await browser.comeBackUntil(page.getByRole('button', { name: 'the late step' }));
  });
});
