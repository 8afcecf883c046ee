import { makeTenant } from '../support/actors.js';
import { faultsOf, inApp, openSignedIn, pressAndConfirm, skipPause } from '../support/console-browser.js';
import { Receiver } from '../support/receiver.js';
import { startService } from '../support/service.js';
import { change, hasEnded, read, sendTest, subscribe, untilDelivery } from '../webhooks/subscribe.js';
import { copiedBy, runShown } from './shown-command.js';

const service = await startService();
const receiver = await Receiver.start();
const tenant = await makeTenant(service);
const { subscriptionId } = await subscribe(service, tenant, { callbackUrl: receiver.url(), displayName: 'Web chat' });
const browser = await openSignedIn(service, receiver);
const { page } = browser;

it('shows a delivery with its attempts, replays it, and sends a test callback', async () => {
  await untilDelivery(service, await sendTest(service, subscriptionId, { event: 'agent.response' }), hasEnded);
  await browser.open(inApp(tenant, 'webhooks'));
  await page.getByRole('button', { name: 'Web chat' }).click();
  await page.getByRole('table', { name: 'Deliveries' }).getByRole('button').first().click();
  const attempt = (number: number) =>
    page.getByRole('dialog').getByRole('region', { name: `Attempt ${number}`, exact: true });
  await attempt(1).waitFor();
  const body = page.getByRole('dialog').getByRole('region', { name: 'Request body of each attempt' });
  expect(await body.innerText()).toMatch(/^ {2}"message_id": "/m);
  await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click();
  await browser.comeBackUntil(attempt(2));
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'Send a test callback' }).click();
  await page.getByText('The test callback was queued.').waitFor();
  await page.getByText('2 shown', { exact: true }).waitFor();
  await page.getByLabel('Value').selectOption('FAILED');
  await page.getByRole('button', { name: 'Add filter' }).click();
  await page.getByText('Nothing matches the filters.').waitFor();
  const command = await copiedBy(page.getByRole('button', { name: 'Copy the deliveries as cURL' }));
  expect(await runShown(service, tenant.key, command)).toContain('"data":[]');
});

it('disables a subscription, enables it, sends failed deliveries again, and rotates the secret', async () => {
  await browser.open(inApp(tenant, 'webhooks'));
  await page.getByRole('button', { name: 'Web chat' }).click();
  await skipPause(page);
  await page.getByRole('button', { name: 'Disable' }).click();
  const held = Promise.withResolvers<void>();
  await page.route('**/webhook-subscriptions/*', async (route) => {
    if (route.request().method() === 'PATCH') await held.promise;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Disable: confirm' }).click();
  await page.locator('button[data-loading]', { hasText: 'Disable: confirm' }).waitFor();
  held.resolve();
  await page.getByRole('button', { name: 'Enable' }).click();
  await page.getByRole('button', { name: 'Disable' }).waitFor();
  await page.unroute('**/webhook-subscriptions/*');
  const [failed] = await service.database.rows<{ id: string }>(
    `update webhook_delivery set status = 'FAILED' where id = (
       select id from webhook_delivery where subscription_id = $1 and status = 'DELIVERED' limit 1) returning id`,
    [subscriptionId],
  );
  await pressAndConfirm(page, 'Replay all failed');
  await page.getByText('Failed deliveries that are sent again: 1').waitFor();
  await untilDelivery(service, failed!.id, ({ status }) => status === 'DELIVERED');
  await page.getByRole('button', { name: 'Rotate the secret' }).click();
  await page.getByText('Callbacks also have a signature with the present secret for one more day.').waitFor();
  await page.getByRole('button', { name: 'Rotate the secret: confirm' }).click();
  await page
    .getByRole('status')
    .getByText(/^whsec_/)
    .waitFor();
  await page.getByRole('button', { name: 'I have stored it' }).click();
  await page.getByText(/^whsec_/).waitFor({ state: 'detached' });
});

it('changes a subscription, which keeps its secret and its deliveries, and says which receiver is refused', async () => {
  browser.expectRefusals(400);
  const wish = { callbackUrl: receiver.url(), displayName: 'Misspelt', environment: 'staging' };
  const before = await subscribe(service, tenant, wish);
  const deliveryId = await sendTest(service, before.subscriptionId, { event: 'agent.response' });
  await untilDelivery(service, deliveryId, hasEnded);
  await browser.open(inApp(tenant, `webhooks?subscription=${before.subscriptionId}`));
  await page.getByRole('button', { name: 'Change', exact: true }).click();
  const form = page.getByRole('form', { name: 'Change the subscription' });
  const field = (name: string) => form.getByLabel(new RegExp(`^${name}( \\*)?$`));
  const save = form.getByRole('button', { name: 'Change the subscription' });
  expect(await field('Environment').inputValue()).toBe('staging');
  await field('Receiver').fill('https://10.0.0.1/callbacks');
  await form.getByRole('checkbox', { name: 'agent.response' }).uncheck();
  await save.click();
  await faultsOf(form, 'Events').waitFor();
  await form.getByRole('checkbox', { name: 'agent.status' }).check();
  await save.click();
  await faultsOf(form, 'Receiver').waitFor();
  await browser.expectAccessible();
  const callbackUrl = receiver.url('elsewhere');
  await field('Receiver').fill(callbackUrl);
  await field('Name').fill('Well spelt');
  // Another administrator changes another field meanwhile, which stays changed.
  await change(service, before.subscriptionId, { environment: 'development' });
  await save.click();
  await form.waitFor({ state: 'detached' });
  await page.getByRole('heading', { name: 'Well spelt' }).waitFor();
  await page.getByRole('definition').getByText(callbackUrl).waitFor();
  await page.getByText('1 shown', { exact: true }).waitFor();
  expect(await read(service, before.subscriptionId)).toMatchObject({
    displayName: 'Well spelt',
    callbackUrl,
    events: ['agent.status'],
    environment: 'development',
    status: 'ACTIVE',
    previousSecretUntil: null,
  });
});

it('says that a receiver is paused, and that a delivery waits for the end of the pause', async () => {
  const wish = { callbackUrl: receiver.url('failing'), displayName: 'Away' };
  const away = (await subscribe(service, tenant, wish)).subscriptionId;
  const deliveryId = await sendTest(service, away, { event: 'agent.response' });
  await untilDelivery(service, deliveryId, ({ attempts }) => attempts.length > 0);
  await service.database.rows(
    `update webhook_subscription set failures = 5, paused_until = now() + interval '1 hour' where id = $1`,
    [away],
  );
  await browser.open(inApp(tenant, 'webhooks'));
  await page.getByRole('row', { name: 'Away' }).getByText('Paused').waitFor();
  await browser.open(inApp(tenant, `webhooks?subscription=${away}&delivery=${deliveryId}`));
  const fact = (name: string) => page.getByText(name, { exact: true }).locator('xpath=following-sibling::dd[1]');
  const end = await fact('Paused until').innerText();
  await fact('Next attempt').getByText(end).waitFor();
  await browser.open(inApp(tenant, 'overview'));
  const problem = page.getByRole('link', { name: /“Away” is paused until/ });
  await problem.waitFor();
  expect(await problem.innerText()).not.toContain('UTC');
});

it('sends nothing to a disabled subscription, and says that it is to be enabled first', async () => {
  const wish = { callbackUrl: receiver.url(), displayName: 'Disabled' };
  const disabled = (await subscribe(service, tenant, wish)).subscriptionId;
  const deliveryId = await sendTest(service, disabled, { event: 'agent.response' });
  await untilDelivery(service, deliveryId, hasEnded);
  await change(service, disabled, { status: 'DISABLED' });
  await browser.open(inApp(tenant, `webhooks?subscription=${disabled}&delivery=${deliveryId}`));
  const panel = page.getByRole('dialog');
  const replay = panel.getByRole('button', { name: 'Replay' });
  await panel.getByText('Enable it first').waitFor();
  expect(await replay.isDisabled()).toBe(true);
  await browser.expectAccessible();
  await panel.getByRole('button', { name: 'Close' }).click();
  await page.getByText('Enable it first').waitFor();
  const senders = ['Send a test callback', 'Replay all failed'].map((name) => page.getByRole('button', { name }));
  for (const sender of senders) expect(await sender.isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Enable' }).click();
  await page.getByText('Enable it first').waitFor({ state: 'detached' });
  for (const sender of senders) expect(await sender.isEnabled()).toBe(true);
});

it('deletes a subscription', async () => {
  await subscribe(service, tenant, { callbackUrl: receiver.url(), displayName: 'Superfluous' });
  await browser.open(inApp(tenant, 'webhooks'));
  await page.getByRole('button', { name: 'Superfluous' }).click();
  await pressAndConfirm(page, 'Delete');
  await page.getByRole('table', { name: 'Subscriptions' }).waitFor();
  await page.getByRole('button', { name: 'Superfluous' }).waitFor({ state: 'detached' });
});
