import { makeActiveAgent } from '../agents/make.js';
import { administratorOf, makeApp, makeTenant } from '../support/actors.js';
import { inApp, openSignedIn, pressAndConfirm, untilAnswered } from '../support/console-browser.js';
import { eventually } from '../support/eventually.js';
import { startService } from '../support/service.js';
import { flowOf, toolDocument } from '../tools/make.js';

const PROJECTS = '/api/admin/v1/projects';

const service = await startService();
const tenant = await makeTenant(service);
const browser = await openSignedIn(service);
const { page } = browser;

const newProject = page.getByRole('form', { name: 'Create a project' });
const newApp = page.getByRole('form', { name: 'Create an app' });
const create = newProject.getByRole('button', { name: 'Create a project' });
const keys = page.getByRole('table', { name: 'API keys' });

async function projectsNamed(name: string): Promise<number> {
  const { body } = await administratorOf(service).get<{ data: { name: string }[] }>(`${PROJECTS}?limit=100`);
  return body.data.filter((project) => project.name === name).length;
}

async function fillIn(name: string): Promise<void> {
  await browser.open('/');
  await page.getByRole('button', { name: 'New project', exact: true }).click();
  await newProject.getByLabel('Name').fill(name);
}

it('makes one project when the answer is lost and it is sent again, and waits for the answer', async () => {
  browser.expectReports(/ERR_FAILED/);
  await fillIn('Made once');
  let answer = (): void => undefined;
  const isAnswered = new Promise<void>((resolve) => (answer = resolve));
  await browser.loseAnswer(PROJECTS, isAnswered);
  await create.click();
  await newProject.getByRole('button', { name: 'Cancel' }).and(page.locator('[aria-disabled]')).waitFor();
  answer();
  await newProject.getByText('The service does not answer. Try again.').waitFor();
  await create.click();
  await newApp.getByText('Made once').waitFor();
  expect(await projectsNamed('Made once')).toBe(1);
  await newApp.getByRole('button', { name: 'Cancel' }).click();
});

it('makes one project if a proxy has timed out, and the repeat comes while the first request still runs', async () => {
  browser.expectRefusals(409, 504);
  await fillIn('Made by three requests');
  const keys: (string | undefined)[] = [];
  const error = { code: 'IDEMPOTENCY_IN_PROGRESS', message: 'It still runs.' };
  const isProjects = ({ pathname }: URL) => pathname === PROJECTS;
  await page.route(
    isProjects,
    async (route) => {
      keys.push(route.request().headers()['idempotency-key']);
      if (keys.length === 2) return route.fulfill({ status: 409, json: { success: false, error } });
      await route.fetch();
      return route.fulfill({ status: 504, body: 'The gateway has timed out.' });
    },
    { times: 2 },
  );
  await create.click();
  await newProject.getByText('A proxy answered with the status 504').waitFor();
  await create.click();
  await newProject.getByText('The same request is still running.').waitFor();
  await create.click();
  await newApp.getByText('Made by three requests').waitFor();
  expect(await projectsNamed('Made by three requests')).toBe(1);
  expect(new Set(keys).size).toBe(1);
  await newApp.getByRole('button', { name: 'Cancel' }).click();
});

it('says that a made key cannot be shown if the answer with it was lost', async () => {
  browser.expectReports(/ERR_FAILED/);
  const appId = await makeApp(service, tenant.projectId);
  await browser.see(inApp({ appId }, 'access'), 'This app has no scope yet.');
  await page.getByRole('button', { name: 'New scope' }).click();
  await page.getByRole('textbox', { name: 'Name of the scope' }).fill('Backend');
  await page.getByRole('button', { name: 'Create the scope' }).click();
  await browser.loseAnswer(`/api/admin/v1/apps/${appId}/apikeys`);
  const form = page.getByRole('form', { name: 'Create an API key' });
  await form.getByLabel('Name').fill('made once');
  await form.getByRole('button', { name: 'Create a key' }).click();
  await form.getByText('The service does not answer. Try again.').waitFor();
  await form.getByRole('button', { name: 'Create a key' }).click();
  await page.getByText('The key made once was lost with the first answer').waitFor();
  await browser.expectAccessible();
  await page.getByRole('button', { name: 'Close' }).click();
  expect(await keys.getByRole('cell', { name: 'made once', exact: true }).count()).toBe(1);
  await pressAndConfirm(keys, 'Rotate');
  await page.getByRole('status').getByText(/^sw_/).waitFor();
});

it('imports a tool once if answers were lost and the form is sent again', async () => {
  browser.expectReports(/ERR_FAILED/);
  await browser.open(inApp(tenant, 'tools'));
  await page.getByRole('button', { name: 'Import a tool' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Imported once');
  for (const [at, document] of [toolDocument(), flowOf([])].entries()) {
    const file = { name: 'document.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(document)) };
    await page.locator('input[type=file]').nth(at).setInputFiles(file);
  }
  for (const path of ['/api/public/files', '/api/public/tools/import']) {
    await browser.loseAnswer(path);
    await page.getByRole('button', { name: 'Import the tool' }).click();
    await page.getByText('The service does not answer. Try again.').waitFor();
  }
  await page.getByRole('button', { name: 'Import the tool' }).click();
  await page.getByRole('region', { name: 'Followed job' }).getByText('Succeeded').waitFor();
  const tools = await administratorOf(service).get<{ data: { toolName: string }[] }>(
    `${PROJECTS}/${tenant.projectId}/tools`,
  );
  expect(tools.body.data.filter(({ toolName }) => toolName === 'Imported once')).toHaveLength(1);
  const files = await administratorOf(service).get<{ data: object[] }>(`${PROJECTS}/${tenant.projectId}/files`);
  expect(files.body.data).toHaveLength(2);
});

it('deletes a document whose upload was not answered when its form is left', async () => {
  browser.expectReports(/ERR_FAILED/);
  await browser.open(inApp(tenant, 'tools'));
  await page.getByRole('button', { name: 'Import a tool' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Left');
  const file = { name: 'left.json', mimeType: 'application/json', buffer: Buffer.from('{}') };
  for (const at of [0, 1]) await page.locator('input[type=file]').nth(at).setInputFiles(file);
  const isStored = async () => {
    const { body } = await administratorOf(service).get<{ data: { fileName: string }[] }>(
      `${PROJECTS}/${tenant.projectId}/files`,
    );
    return body.data.some(({ fileName }) => fileName === 'left.json');
  };
  await browser.loseAnswer('/api/public/files');
  await page.getByRole('button', { name: 'Import the tool' }).click();
  await page.getByText('The service does not answer. Try again.').waitFor();
  expect(await isStored()).toBe(true);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await eventually(isStored, (is) => !is);
});

describe('a message of the playground whose answer was lost', () => {
  const message = page.getByRole('textbox', { name: 'Message' });
  const send = page.getByRole('button', { name: 'Send', exact: true });
  const stop = page.getByRole('button', { name: 'Stop' });
  const turns = page.getByRole('article');
  const runs = `/api/v2/apps/${tenant.appId}/environments/production/runs`;
  const isSession = ({ pathname }: URL) => pathname.endsWith(`/${tenant.appId}/sessions`);
  let sent = 0;
  beforeAll(async () => {
    await makeActiveAgent(service, tenant);
    page.on('request', (request) => (sent += Number(new URL(request.url()).pathname === runs)));
    await browser.useClock();
    await browser.open(inApp(tenant, 'playground'));
  });
  beforeEach(() => {
    sent = 0;
    browser.expectReports(/ERR_FAILED/);
  });

  it('is not sent again if the session has its answer', async () => {
    await browser.loseAnswer(runs);
    await message.fill('Only once');
    await send.click();
    await untilAnswered(message);
    await turns.getByText('Only once').first().waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(sent).toBe(1);
  });

  it('stays while the session cannot be read, and is not sent again when it can', async () => {
    await page.route(isSession, (route) => route.abort());
    await browser.loseAnswer(runs);
    await message.fill('Once more');
    for (const _ of ['sent', 'sent again']) {
      await send.click();
      await stop.waitFor();
      await browser.comeBackUntil(stop, 'hidden');
      expect(await message.inputValue()).toBe('Once more');
    }
    await page.unroute(isSession);
    await send.click();
    await untilAnswered(message);
    await turns.getByText('Once more').first().waitFor();
    expect(sent).toBe(1);
  });

  it('is sent again if its turn was cancelled', async () => {
    await page.route(isSession, async (route) => {
      const response = await route.fetch();
      const json = (await response.json()) as { sessions: { traces: { input: string; observations: object[] }[] }[] };
      for (const { input, observations } of json.sessions[0]!.traces)
        for (const each of observations) if (input === 'Cancelled') Object.assign(each, { status: 'failed' });
      await route.fulfill({ response, json });
    });
    await browser.loseAnswer(runs);
    await message.fill('Cancelled');
    await send.click();
    await stop.waitFor();
    await stop.waitFor({ state: 'detached' });
    expect(await message.inputValue()).toBe('Cancelled');
    await send.click();
    await untilAnswered(message);
    expect(sent).toBe(2);
    await page.unroute(isSession);
  });
});

it('makes another project if the user has signed out since the answer was lost', async () => {
  browser.expectReports(/ERR_FAILED/);
  // Queries that run when the user signs out are refused.
  browser.expectRefusals(401);
  await fillIn('Made twice');
  await browser.loseAnswer(PROJECTS);
  await create.click();
  await newProject.getByText('The service does not answer. Try again.').waitFor();
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.getByRole('dialog').getByLabel('Administration key').fill(service.adminKey);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await fillIn('Made twice');
  await create.click();
  await newApp.getByText('Made twice').waitFor();
  expect(await projectsNamed('Made twice')).toBe(2);
});

it('stays in the environment that is chosen while a session begins', async () => {
  await page.route('**/sessions', () => undefined);
  await browser.open(inApp(tenant, 'playground'));
  const box = page.getByRole('textbox', { name: 'Message' });
  await box.fill('Hello');
  await Promise.all([page.waitForRequest('**/sessions'), box.press('Enter')]);
  const left = page.waitForEvent('requestfailed');
  await page.getByLabel('Environment').selectOption('staging');
  await left;
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.getByRole('button', { name: 'Send' }).waitFor();
  const { searchParams } = new URL(page.url());
  expect([searchParams.get('env'), searchParams.get('talk')]).toEqual(['staging', null]);
});
