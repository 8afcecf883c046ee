import { Desk, entry, exit, summary } from '../agent-assist/bots.js';
import { makeTenant } from '../support/actors.js';
import { inApp, openSignedIn } from '../support/console-browser.js';
import { startService } from '../support/service.js';

const service = await startService();
const tenant = await makeTenant(service);
const desk = await Desk.open(service, tenant);
const browser = await openSignedIn(service);
const { page } = browser;

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
  await browser.expectAccessible();
});

it('shows more of a long timeline', async () => {
  for (const part of [0, 1, 2]) {
    const agents = Array.from({ length: 20 }, (_, at) => `desk ${part} ${at}`);
    await desk.tell('call-2', ...agents.flatMap((agent) => [entry('NA', agent), exit('NA', agent)]));
  }
  await browser.open(inApp(tenant, 'agent-assist?conversation=call-2'));
  await page.getByText('100 of 120 events shown').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Show more' }).click();
  await page.getByText('120 of 120 events shown').waitFor();
});

it('says that a bot of the address is unknown, and leads to the others', async () => {
  browser.expectRefusals(404);
  await browser.open(inApp(tenant, 'agent-assist?bot=st-unknown'));
  await page.getByRole('alert').getByText('This bot does not exist').waitFor();
  await page.getByLabel('Bot').selectOption(desk.botId);
  await page.getByRole('button', { name: 'call-1' }).waitFor();
});
