import type { Request } from 'playwright-core';
import { topicOf } from '../../src/modules/dock/dock-job.entity.js';
import { Notifications } from '../../src/platform/redis/notifications.js';
import { aWaitingJob } from '../dock/make.js';
import { administratorOf, makeTenant } from '../support/actors.js';
import { inApp, openSignedIn, pressAndConfirm, skipPause } from '../support/console-browser.js';
import { eventually } from '../support/eventually.js';
import { startService } from '../support/service.js';
import { deployedTool, type DockBody, ended, execute, flowOf, importedTool, importTool } from '../tools/make.js';

/** Pages have refreshed after this time. */
const REFRESHED_MS = 6_000;

type DockJob = Awaited<ReturnType<typeof aWaitingJob>>;

const service = await startService();
const tenant = await makeTenant(service);
const browser = await openSignedIn(service);
const { page } = browser;

const admin = administratorOf(service);
const tools = inApp(tenant, 'tools');
const panel = page.getByRole('dialog');
const followed = page.getByRole('region', { name: 'Followed job' });

/** The streams that the browser has opened, and those of them that it has open. */
const streams = { opened: 0, open: new Set<Request>() };
/** The paths of other requests about single jobs. */
let readings: string[] = [];
const isStream = (request: Request) => request.url().endsWith('/events');

page.on('request', (request) => {
  if (isStream(request)) {
    streams.opened += 1;
    streams.open.add(request);
  }
  if (/\/dock-jobs\/ds-/.test(request.url())) readings.push(request.url());
});
page.on('requestfailed', (request) => streams.open.delete(request));
page.on('requestfinished', (request) => streams.open.delete(request));

beforeEach(() => {
  streams.opened = 0;
  readings = [];
});

/** Opens a page that follows a new job, which goes on until the test ends it. */
async function follow(): Promise<DockJob> {
  const job = await aWaitingJob({ service, tenant });
  await browser.open(`${tools}?followed=${job.id}`);
  await followed.getByText('Starting, 0 %').waitFor();
  return job;
}

/** Sends what the process that does the work sends. */
function notify({ id }: DockJob, stage: string): void {
  service.app.get(Notifications).notify(topicOf(id), { percentageComplete: 40, stage });
}

async function end({ id }: DockJob): Promise<void> {
  const path = `/api/admin/v1/projects/${tenant.projectId}/dock-jobs/${id}/cancel`;
  expect((await admin.post(path)).outcome).toBe('200');
}

const untilOpen = (count: number) =>
  eventually(
    () => streams.open.size,
    (size) => size === count,
  );

it('follows a job by one stream until it ends, without readings', async () => {
  const job = await follow();
  notify(job, 'Reading the archive');
  await followed.getByText('Reading the archive, 40 %').waitFor();
  const announced = followed.locator('[aria-live=polite]');
  expect(await announced.textContent()).toBe('');
  expect(streams).toMatchObject({ opened: 1, open: { size: 1 } });
  await end(job);
  await announced.getByText('JOB_CANCELLED').waitFor();
  await untilOpen(0);
  expect(streams.opened).toBe(1);
  expect(readings).toEqual([]);
  await browser.expectAccessible();
});

it('stops while the page is hidden, and goes on when the user comes back', async () => {
  const job = await follow();
  await browser.lookAway();
  await untilOpen(0);
  await end(job);
  await browser.comeBack();
  await followed.getByText('JOB_CANCELLED').waitFor();
  await untilOpen(0);
  expect(streams.opened).toBe(2);
});

it('cancels a job', async () => {
  await follow();
  await pressAndConfirm(followed, 'Cancel the job');
  await followed.getByText('JOB_CANCELLED').waitFor();
  await followed.getByRole('button', { name: 'Dismiss' }).click();
  await followed.waitFor({ state: 'detached' });
});

it('cancels a job on the page of jobs, and runs it again', async () => {
  const { jobId } = await aWaitingJob({ service, tenant });
  const address = `/jobs?job=${jobId}`;
  await browser.open(address);
  await pressAndConfirm(panel, 'Cancel the job');
  await panel.waitFor({ state: 'detached' });
  await browser.open(address);
  await panel.getByText('Cancelled by admin').waitFor();
  await browser.expectAccessible();
  await panel.getByRole('button', { name: 'Run it again' }).click();
  await panel.waitFor({ state: 'detached' });
  await browser.open(address);
  await panel.getByText('Done', { exact: true }).waitFor();
});

it('skips the turn of a recurring job, which stays', async () => {
  const jobs = page.getByRole('table', { name: 'Jobs', exact: true });
  const open = async () => {
    await browser.open('/jobs?name=retention.sweep');
    await jobs.locator('tbody').getByRole('button').click();
  };
  await open();
  await skipPause(page);
  await panel.getByRole('button', { name: 'Skip this turn' }).click();
  await panel.getByText('The job is due again 3,600 s later.').waitFor();
  await panel.getByRole('button', { name: 'Skip this turn: confirm' }).click();
  await panel.waitFor({ state: 'detached' });
  await open();
  await panel.getByText('Cancelled by admin').waitFor();
  await panel.getByText('Waiting', { exact: true }).waitFor();
});

it('leaves the job open that was opened while another one was being cancelled', async () => {
  const waiting = async () => (await aWaitingJob({ service, tenant })).jobId!;
  const [first, second] = [await waiting(), await waiting()];
  const row = (jobId: string) => page.getByRole('table', { name: 'Jobs' }).getByRole('row', { name: jobId });
  const isOpen = () => panel.getByText(second, { exact: true }).waitFor();
  const held = Promise.withResolvers<void>();
  await page.route('**/cancel', async (route) => {
    await held.promise;
    await route.continue();
  });
  await browser.open('/jobs');
  await row(first).getByRole('button').click();
  await pressAndConfirm(panel, 'Cancel the job');
  await row(second).getByRole('button').click();
  await isOpen();
  held.resolve();
  await row(first).getByText('Failed').waitFor();
  await isOpen();
  await page.unroute('**/cancel');
  await pressAndConfirm(panel, 'Cancel the job');
  await panel.waitFor({ state: 'detached' });
});

it('shows the job of a tool beside that tool alone', async () => {
  const toolId = await importedTool(tenant);
  const job = await aWaitingJob({ service, tenant });
  await browser.open(`${tools}?tool=${toolId}&followed=${job.id}`);
  await panel.getByText(toolId, { exact: true }).waitFor();
  await untilOpen(1);
  await end(job);
  await untilOpen(0);
  expect(await followed.count()).toBe(0);
  await page.keyboard.press('Escape');
  await followed.getByText(`Import of ${job.targetId}`).waitFor();
});

it('stops when its page is left', async () => {
  const job = await follow();
  await untilOpen(1);
  await browser.open(inApp(tenant, 'files'));
  await untilOpen(0);
  await end(job);
});

it('reads the job each second if the stream breaks', async () => {
  await browser.useClock();
  const body = ': the connection is cut\n\n';
  await page.route(isEventsAddress, (route) => route.fulfill({ contentType: 'text/event-stream', body }));
  const job = await follow();
  await eventually(
    async () => {
      await page.clock.fastForward(1_000);
      return readings.length;
    },
    (count) => count > 1,
  );
  await end(job);
  await followed.getByText('JOB_CANCELLED').waitFor();
  expect(streams.opened).toBe(1);
  await page.unroute(isEventsAddress);
});

it('shows why a job that does not exist is not followed', async () => {
  browser.expectRefusals(404);
  await browser.open(`${tools}?followed=ds-${'0'.repeat(22)}`);
  await followed.getByRole('alert').getByText('DOCK_JOB_NOT_FOUND').waitFor();
});

function isEventsAddress({ pathname }: URL): boolean {
  return pathname.endsWith('/events');
}

it('says why an import failed, and deploys nothing then', async () => {
  const { toolId, error } = await importTool(tenant, { flow: {} });
  await browser.open(`${tools}?tool=${toolId}`);
  await panel.getByText(error!.message).waitFor();
  await panel.getByText('This tool has not run yet, because it has no version.').waitFor();
  expect(await panel.getByRole('button', { name: 'Deploy' }).count()).toBe(0);
  await browser.open(inApp(tenant, 'overview'));
  await page.getByRole('link', { name: /^The tool “A tool” could not be imported\./ }).click();
  await panel.getByText('This tool has not run yet, because it has no version.').waitFor();
});

it('refreshes a list by itself, and not while its user looks away', async () => {
  let read = 0;
  const isList = ({ pathname }: URL) => pathname.endsWith('/sessions/list');
  await page.route(isList, (route) => {
    read += 1;
    return route.continue();
  });
  await browser.open(inApp(tenant, 'sessions'));
  await eventually(() => read === 1);
  await page.clock.fastForward(REFRESHED_MS);
  await eventually(() => read === 2);
  await browser.lookAway();
  for (let time = 1; time <= 10; time++) await page.clock.fastForward(REFRESHED_MS);
  // Requests pass in the order in which the page sends them, so those of the list would have been counted before this one.
  await page.evaluate(`fetch('/health/live')`);
  expect(read).toBe(2);
  await browser.comeBack();
  await eventually(() => read === 3);
  await page.unroute(isList);
});

it('shows where a run waits, and then how it ended, without being asked', async () => {
  const flow = flowOf([{ id: 'answer', type: 'wait', timeoutSeconds: 3_600 }]);
  const picture = page.getByRole('region', { name: 'Flow', exact: true });
  const toolId = await deployedTool(tenant, { flow });
  const { body } = await execute(tenant, toolId);
  await browser.goTo(`${tools}?tool=${toolId}&run=${body.runId}`);
  await picture.getByRole('button', { name: 'answer wait · waits here' }).click();
  await panel.getByText('The run waits here.').waitFor();
  await picture.getByRole('button', { name: 'end not reached' }).waitFor();
  await browser.expectAccessible();
  await tenant.api.post(`/api/public/tools/${toolId}/runs/${body.runId}/cancel`);
  await ended(tenant, (await tenant.api.post<DockBody>(`/api/public/tools/${toolId}/undeploy`)).body);
  await page.clock.fastForward(REFRESHED_MS);
  await picture.getByRole('button', { name: 'answer wait · not reached' }).waitFor();
  await panel.getByRole('button', { name: 'Deploy', exact: true }).waitFor();
});
