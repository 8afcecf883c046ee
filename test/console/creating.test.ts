import type { Locator } from 'playwright-core';
import { BODIES, makeConnection } from '../connections/make.js';
import { importModel } from '../models/models.js';
import { administratorOf, makeApp, makeProject, makeTenant } from '../support/actors.js';
import { faultsOf, inApp, openSignedIn, untilAnswered } from '../support/console-browser.js';
import { eventually } from '../support/eventually.js';
import { startService } from '../support/service.js';
import { MARKUP } from './filled-app.js';

const ADMIN = '/api/admin/v1';
const TOO_LONG = 'n'.repeat(500);

const service = await startService();
const tenant = await makeTenant(service);
const browser = await openSignedIn(service);
const { page } = browser;

const CONNECTIONS = `${ADMIN}/projects/${tenant.projectId}/connections`;

const formOf = (name: string) => page.getByRole('form', { name: `Create ${name}` });
const field = (form: Locator, name: string) => form.getByLabel(new RegExp(`^${name}( \\*)?$`));
const send = (form: Locator) => form.getByRole('button', { name: /^Create/ }).click();
const opener = (noun: string) => page.getByRole('button', { name: `New ${noun}`, exact: true });
const isFocused = (element: Locator) => element.and(page.locator(':focus')).waitFor();
const heading = (name: string) => page.getByRole('heading', { level: 1, name });

async function read<Data>(path: string): Promise<Data> {
  return (await administratorOf(service).get<{ data: Data }>(`${ADMIN}${path}`)).body.data;
}

const newProject = formOf('a project');
const newApp = formOf('an app');
const newAgent = formOf('an agent');
const newSubscription = formOf('a subscription');
const newBot = formOf('a bot');

it('leads from nothing to an answer: a project, its app, an agent, its activation and the playground', async () => {
  await browser.open('/');
  await opener('project').click();
  await isFocused(field(newProject, 'Name'));
  await browser.expectAccessible();
  await page.keyboard.type(MARKUP);
  await page.keyboard.press('Enter');
  // The form for the app of the new project stands in its place.
  await newApp.getByText(MARKUP).waitFor();
  await isFocused(field(newApp, 'Name'));
  await browser.expectAccessible();
  await page.keyboard.type('Returns');
  await page.keyboard.press('Enter');
  await page.getByText('This app has no agent yet. Create one above, or with this request:').waitFor();
  await opener('agent').click();
  await isFocused(field(newAgent, 'Name'));
  await browser.expectAccessible();
  await field(newAgent, 'Name').fill('Returns desk');
  await field(newAgent, 'Instructions').fill('You help customers with returns.\nBe brief.');
  await field(newAgent, 'Welcome message').fill('Hello!');
  await send(newAgent);
  await heading('Returns desk').waitFor();
  await page.getByRole('button', { name: 'Version 1' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Activate' }).click();
  await page.getByText('It answers in production now.').waitFor();
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('link', { name: 'Playground' }).click();
  const message = page.getByRole('textbox', { name: 'Message', exact: true });
  await message.fill('Where is my parcel?');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await untilAnswered(message);
  await page.getByRole('article').getByText('Where is my parcel?').first().waitFor();
});

describe('the form for a new project', () => {
  it('keeps what was typed when the API refuses it, and gives the keyboard back when it is left', async () => {
    browser.expectRefusals(400);
    const before = await read<unknown[]>('/projects?limit=100');
    await browser.open('/');
    await opener('project').click();
    await field(newProject, 'Name').fill(TOO_LONG);
    await send(newProject);
    await faultsOf(newProject, 'Name').waitFor();
    expect(await field(newProject, 'Name').inputValue()).toBe(TOO_LONG);
    await browser.expectAccessible();
    await newProject.getByRole('button', { name: 'Cancel' }).click();
    await newProject.waitFor({ state: 'detached' });
    await isFocused(opener('project'));
    expect(await read('/projects?limit=100')).toEqual(before);
  });

  it('says at once why it was refused, while the page is still read again', async () => {
    const isProblems = ({ pathname }: URL) => pathname.endsWith('/problems');
    let isLate = false;
    browser.expectRefusals(400);
    await browser.open('/');
    await opener('project').click();
    await page.route(isProblems, (route) => {
      isLate = true;
      void route.request().response();
    });
    await field(newProject, 'Name').fill(TOO_LONG);
    await send(newProject);
    await faultsOf(newProject, 'Name').waitFor();
    await eventually(() => isLate, Boolean);
    await page.unrouteAll();
    await newProject.getByRole('button', { name: 'Cancel' }).click();
  });

  it('is closed by the way back of the browser', async () => {
    await opener('project').click();
    await newProject.waitFor();
    await page.goBack();
    await newProject.waitFor({ state: 'detached' });
    await heading('Projects').waitFor();
  });
});

describe('the form for a new app', () => {
  const row = (projectId: string) => page.getByRole('row').filter({ hasText: projectId });

  it('follows the one for a project, and gives the keyboard to the button of the page when it is left', async () => {
    await browser.open('/');
    await opener('project').click();
    await field(newProject, 'Name').fill('Without an app');
    await send(newProject);
    await newApp.getByText('Without an app').waitFor();
    await newApp.getByRole('button', { name: 'Cancel' }).click();
    await newApp.waitFor({ state: 'detached' });
    await isFocused(opener('project'));
  });

  it('adds an app to a project that has one, and going back leads to the projects', async () => {
    browser.expectRefusals(400);
    const projectId = await makeProject(service, 'Two apps');
    await makeApp(service, projectId);
    await browser.open('/');
    await browser.comeBackUntil(row(projectId));
    await row(projectId).getByRole('button', { name: 'New app of Two apps' }).click();
    await newApp.getByText('Two apps').waitFor();
    await field(newApp, 'Name').fill(TOO_LONG);
    await send(newApp);
    await faultsOf(newApp, 'Name').waitFor();
    await field(newApp, 'Name').fill('The second');
    await send(newApp);
    await heading('Agents').waitFor();
    await page.goBack();
    await row(projectId).getByRole('link', { name: 'The second' }).waitFor();
    expect(await newApp.count()).toBe(0);
  });

  it('says that its project was deleted meanwhile', async () => {
    browser.expectRefusals(404);
    const projectId = await makeProject(service);
    await browser.open(`/?create=${projectId}`);
    await newApp.getByText('A project').waitFor();
    await administratorOf(service).delete(`${ADMIN}/projects/${projectId}`);
    await field(newApp, 'Name').fill('Too late');
    await send(newApp);
    await newApp.getByText('This project does not exist, or it was deleted.').waitFor();
    expect(await field(newApp, 'Name').inputValue()).toBe('Too late');
  });
});

describe('the form for a new agent', () => {
  interface Agent {
    name: string;
    instructions: string;
    connectionId: string | null;
    modelId: string | null;
  }
  const agentOfPage = async () =>
    read<Agent>(`/apps/${tenant.appId}/agents/${new URL(page.url()).searchParams.get('agent')}`);

  it('offers the connections and deployed models of the project, and the mock', async () => {
    const { connectionId } = await makeConnection(tenant, { ...BODIES.Vendor1, connectionName: MARKUP });
    const off = await makeConnection(tenant);
    await administratorOf(service).patch(`${CONNECTIONS}/${off.connectionId}`, { status: 'INACTIVE' });
    const modelId = await importModel(tenant.api, { fileName: 'support-7b' });
    await importModel(tenant.api, { fileName: 'not-deployed' });
    await service.database.rows(`update model set state = 'DEPLOYED' where id = $1`, [modelId]);
    const create = async (name: string, model: string) => {
      await browser.open(inApp(tenant, 'agents?create=yes'));
      await field(newAgent, 'Name').fill(name);
      await field(newAgent, 'Instructions').fill('You are of help.');
      await field(newAgent, 'Model').selectOption(model);
      await send(newAgent);
      await heading(name).waitFor();
    };
    await create(MARKUP, connectionId);
    expect(await agentOfPage()).toMatchObject({ name: MARKUP, connectionId, modelId: null });
    await create('By our model', modelId);
    expect(await agentOfPage()).toMatchObject({ connectionId: null, modelId, welcomeMessage: null });
    await browser.open(inApp(tenant, 'agents?create=yes'));
    await field(newAgent, 'Model').getByRole('option').nth(2).waitFor({ state: 'attached' });
    expect(await field(newAgent, 'Model').getByRole('option').allInnerTexts()).toEqual([
      `Connection ${MARKUP}, gpt-4o`,
      'Deployed model support-7b',
      'The built-in mock',
    ]);
  });

  it('says that the chosen connection was deleted, keeps the rest, and creates the agent with the mock', async () => {
    browser.expectRefusals(400, 404);
    const { connectionId } = await makeConnection(tenant);
    await browser.open(inApp(tenant, 'agents?create=yes'));
    await field(newAgent, 'Name').fill(TOO_LONG);
    await field(newAgent, 'Instructions').fill('You are of help.\nBe brief.');
    await field(newAgent, 'Model').selectOption(connectionId);
    await send(newAgent);
    await faultsOf(newAgent, 'Name').waitFor();
    await field(newAgent, 'Name').fill('Kept');
    await administratorOf(service).delete(`${CONNECTIONS}/${connectionId}`);
    await send(newAgent);
    await newAgent.getByText('This connection does not exist, or it was deleted.').waitFor();
    await newAgent.locator(`option[value="${connectionId}"]`).waitFor({ state: 'detached' });
    await field(newAgent, 'Model').selectOption('mock');
    await send(newAgent);
    await heading('Kept').waitFor();
    expect(await agentOfPage()).toMatchObject({ instructions: 'You are of help.\nBe brief.', connectionId: null });
    await page.getByRole('button', { name: 'All agents' }).click();
    await heading('Agents').waitFor();
    expect(new URL(page.url()).search).toBe('');
  });
});

describe('the form for a new subscription', () => {
  const address = inApp(tenant, 'webhooks');

  it('shows the secret once, with the way to the subscription', async () => {
    await browser.open(address);
    await opener('subscription').click();
    await isFocused(field(newSubscription, 'Name'));
    await browser.expectAccessible();
    await field(newSubscription, 'Name').fill(MARKUP);
    await field(newSubscription, 'Receiver').fill('https://example.com/callbacks');
    await field(newSubscription, 'Environment').selectOption('staging');
    await newSubscription.getByRole('checkbox', { name: 'agent.media' }).check();
    await send(newSubscription);
    const secret = await page
      .getByRole('status')
      .getByText(/^whsec_/)
      .innerText();
    await page.getByRole('button', { name: 'Show the subscription' }).click();
    await heading(MARKUP).waitFor();
    await page.getByText('agent.response, agent.media').waitFor();
    await page.getByRole('definition').getByText('staging').waitFor();
    // A user who has not stored the secret yet can go back to it.
    await page.getByRole('button', { name: 'All subscriptions' }).click();
    await page.getByText(secret).waitFor();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByText(secret).waitFor({ state: 'detached' });
    await page.getByRole('table', { name: 'Subscriptions' }).getByRole('button', { name: MARKUP }).waitFor();
  });

  it('says which address and events are refused, and keeps what was typed', async () => {
    browser.expectRefusals(400);
    await browser.open(address);
    await opener('subscription').click();
    await field(newSubscription, 'Name').fill(TOO_LONG);
    await field(newSubscription, 'Receiver').fill('https://10.0.0.1/callbacks');
    await newSubscription.getByRole('checkbox', { name: 'agent.response' }).uncheck();
    await send(newSubscription);
    await faultsOf(newSubscription, 'Name').waitFor();
    await faultsOf(newSubscription, 'Events').waitFor();
    await browser.expectAccessible();
    await field(newSubscription, 'Name').fill('Inside');
    await newSubscription.getByRole('checkbox', { name: 'agent.status' }).check();
    await send(newSubscription);
    await faultsOf(newSubscription, 'Receiver').waitFor();
    expect(await field(newSubscription, 'Receiver').inputValue()).toBe('https://10.0.0.1/callbacks');
    await newSubscription.getByRole('button', { name: 'Cancel' }).click();
    await newSubscription.waitFor({ state: 'detached' });
    expect(await page.getByText('Inside').count()).toBe(0);
  });
});

it('creates a bot of agent assist, says why a name is refused, and shows the new bot', async () => {
  browser.expectRefusals(400);
  await browser.open(inApp(tenant, 'agent-assist'));
  await page.getByText('Create a bot above, or with this request:').waitFor();
  const create = async (name: string) => {
    await opener('bot').click();
    await field(newBot, 'Name').fill(name);
    await send(newBot);
  };
  await create('First desk');
  await page.getByText('No conversation was reported to this bot yet.').waitFor();
  await create(TOO_LONG);
  await faultsOf(newBot, 'Name').waitFor();
  await browser.expectAccessible();
  await field(newBot, 'Name').fill(MARKUP);
  await send(newBot);
  await newBot.waitFor({ state: 'detached' });
  const chosen = page.getByRole('main').getByLabel('Bot');
  expect(await chosen.locator('option:checked').innerText()).toBe(MARKUP);
  await opener('bot').click();
  await newBot.getByRole('button', { name: 'Cancel' }).click();
  await newBot.waitFor({ state: 'detached' });
  expect(await chosen.locator('option:checked').innerText()).toBe(MARKUP);
});
