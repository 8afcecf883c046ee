import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeAgent, say } from '../agents/make.js';
import { ledgerOf } from '../gateway/calls.js';
import { create, ref } from '../sessions/make.js';
import { administratorOf, type Tenant } from '../support/actors.js';
import { inApp, openConsole, pressAndConfirm, untilAnswered } from '../support/console-browser.js';
import { Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { Receiver } from '../support/receiver.js';
import { startService } from '../support/service.js';
import { aSpan, exportOf, sent } from '../traces/spans.js';
import { type Accepted, MESSAGE, replyTo } from '../webhooks/channel.js';
import { change } from '../webhooks/subscribe.js';

const service = await startService({ SLIPWAY_DEMO: '1' });
const receiver = await Receiver.start();
const demo = readDemo();
const { appId, scopeName, subscriptionId } = demo;
const browser = await openConsole(service, receiver);
const { page } = browser;

const pageOf = (name: string) => inApp({ appId }, name);
const tableOf = (name: string) => page.getByRole('table', { name, exact: true });
const newestCall = tableOf('Calls of models').locator('tbody').getByRole('row').first();

/** Returns the demo as its first start describes it to the user. */
function readDemo(): Tenant & { subscriptionId: string } {
  const file = join(service.settings.DATA_DIR!, 'demo.json');
  const read = JSON.parse(readFileSync(file, 'utf8')) as Tenant & { subscriptionId: string; apiKey: string };
  return { ...read, key: read.apiKey, api: Client.withKey(service, read.apiKey) };
}

it('shows what the demo has, from the first start', async () => {
  // The conversation begins when the service has started.
  await eventually(
    () => ledgerOf(demo),
    ({ length }) => length === 2,
  );
  await browser.signIn();
  await tableOf('Projects').getByText('Demo app').waitFor();
  for (const [name, text] of [
    ['overview', 'Nothing is wrong now.'],
    ['ledger', 'mock'],
    ['traces', 'Demo agent'],
    ['agents', 'Demo agent'],
    ['tools', 'Find an order'],
    ['webhooks', 'The receiver on this machine'],
    ['agent-assist', 'Demo contact centre'],
    ['access', 'DOCK_MANAGE'],
  ] as const)
    await browser.see(pageOf(name), text);
  await browser.open(pageOf('sessions'));
  await tableOf('Sessions').getByRole('row', { name: 'demo-conversation' }).getByRole('button').click();
  await page.getByText('[mock] You said: Good. Please remember my order 4711.').first().waitFor();
  await browser.open(pageOf('tools'));
  await tableOf('Tools').getByRole('button', { name: 'Find an order' }).click();
  await browser.comeBackUntil(tableOf('Runs').getByText('Completed'));
});

it('shows the journey of the README, from the sign-in to the revoked key', async () => {
  // Nothing of the test listens where the receiver of the README does.
  await change(service, subscriptionId, { callbackUrl: receiver.url() });

  // Create a key. Only this answer shows its value.
  await browser.open(pageOf('access'));
  const form = page.getByRole('form', { name: 'Create an API key' });
  await form.getByLabel('Scope').selectOption(scopeName);
  await form.getByLabel('Name').fill('journey');
  await form.getByRole('button', { name: 'Create a key' }).click();
  const key = await page.getByRole('status').getByText(/^sw_/).innerText();
  await page.getByRole('button', { name: 'I have stored it' }).click();
  const tenant: Tenant = { ...demo, key, api: Client.withKey(service, key) };

  // Create a session with the new key.
  const me = [ref('journey')];
  expect((await create(tenant, me)).body).toMatchObject({
    output: [{ content: expect.stringMatching(/^Hello! I am/) as string }],
  });
  await browser.open(pageOf('sessions'));
  await tableOf('Sessions').getByRole('row', { name: 'journey' }).getByRole('button').click();
  await page.getByText('No message was sent in this session yet.').waitFor();

  // Talk to the agent, and see the conversation with its trace.
  expect((await say(tenant, 'journey', 'Is anybody there?')).body.status).toBe('completed');
  await browser.comeBackUntil(page.getByRole('article').getByText('[mock] You said: Is anybody there?'));
  await tableOf('Steps of the trace').getByRole('button').first().waitFor();

  // Talk to it in the playground, too.
  await browser.open(pageOf('playground'));
  const message = page.getByRole('textbox', { name: 'Message' });
  await message.fill('Are you there?');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByRole('article').getByText('Are you there?').first().waitFor();
  // Leaving the page cancels an answer that has not ended.
  await untilAnswered(message);

  // The newest call is in the ledger, with its tokens and its cost.
  await browser.open(pageOf('ledger'));
  await newestCall.getByText('mock').first().waitFor();
  await newestCall.getByRole('button').first().click();
  const panel = page.getByRole('dialog');
  await panel.getByText(/^[1-9]\d* in, [1-9]\d* out$/).waitFor();
  await panel
    .getByRole('term')
    .filter({ hasText: /^Cost$/ })
    .waitFor();

  // A message is answered by a callback, which the console shows as delivered.
  const { projectId } = demo;
  const { body, outcome } = await tenant.api.post<Accepted>(MESSAGE, {
    project_id: projectId,
    subscription_id: subscriptionId,
    message: 'Hello',
    session_key: 'talk',
  });
  expect(outcome).toBe('202');
  await replyTo(receiver, body);
  await browser.open(pageOf('webhooks'));
  await page.getByRole('button', { name: 'The receiver on this machine' }).click();
  const reply = tableOf('Deliveries').getByRole('row').filter({ hasText: 'agent.response' });
  await reply.getByText('DELIVERED').waitFor();
  await reply.getByRole('button').first().click();
  const attempt = panel.getByRole('region', { name: 'Attempt 1', exact: true });
  await attempt.getByText(receiver.url(), { exact: true }).waitFor();
  await attempt.getByRole('region', { name: 'Headers of attempt 1' }).getByText('"agent.response"').waitFor();
  await attempt.getByRole('region', { name: 'Answer to attempt 1' }).waitFor();
  await panel
    .getByRole('region', { name: 'Request body' })
    .getByText(/session_key/)
    .waitFor();

  // End the session.
  await browser.open(pageOf('sessions'));
  await tableOf('Sessions').getByRole('row', { name: 'journey' }).getByRole('button').click();
  await pressAndConfirm(page, 'End the session');
  await page.getByText('Terminated', { exact: true }).waitFor();
  expect(await page.getByRole('button', { name: 'End the session' }).count()).toBe(0);

  // Revoke the key. Its next request is refused.
  await browser.open(pageOf('access'));
  const row = tableOf('API keys').getByRole('row').filter({ hasText: 'journey' });
  await pressAndConfirm(row, 'Revoke');
  await row.waitFor({ state: 'detached' });
  expect((await tenant.api.get('/api/public/me')).outcome).toBe('401 API_KEY_INVALID');
  await browser.expectAccessible();
});

describe('a page that stays open', () => {
  it('shows the new version of an agent, and keeps what its form holds', async () => {
    const { agentId } = await makeAgent(service, appId);
    const edit = (instructions: string) =>
      administratorOf(service).patch(`/api/admin/v1/apps/${appId}/agents/${agentId}`, { instructions });
    const text = page.getByRole('textbox', { name: 'Instructions' });
    await browser.open(pageOf(`agents?agent=${agentId}`));
    await page.getByText('These belong to version 1.').waitFor();
    await edit('Made elsewhere.');
    await browser.comeBackUntil(page.getByText('These belong to version 2.'));
    expect(await text.inputValue()).toBe('Made elsewhere.');
    await text.fill('Typed here.');
    await edit('Made elsewhere again.');
    await browser.comeBackUntil(page.getByText('Version 3 was made meanwhile. What you changed began with version 2.'));
    expect(await text.inputValue()).toBe('Typed here.');
    await browser.expectAccessible();
    await page.getByRole('button', { name: 'Save as a version' }).click();
    await page.getByText('These belong to version 4.').waitFor();
    expect(await text.inputValue()).toBe('Typed here.');
    // A page that did not read the newest version yet learns of it before it saves.
    await browser.lookAway();
    await text.fill('Typed at the same time.');
    await edit('Saved a moment before.');
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
    await sent(demo, exportOf([{ traceId, ...first }]));
    await browser.open(pageOf('traces?name=the+first+step'));
    await page.getByRole('table', { name: 'Traces' }).getByRole('button').click();
    await page.getByRole('button', { name: 'the first step' }).waitFor();
    await sent(demo, exportOf([aSpan({ traceId, name: 'the late step' })]));
    await browser.comeBackUntil(page.getByRole('button', { name: 'the late step' }));
  });
});
