import { Notifications } from '../../src/platform/redis/notifications.js';
import { makeActiveAgent, byReference, runsPath } from '../agents/make.js';
import { aWaitingJob } from '../dock/make.js';
import { COMPLETIONS, connectTo } from '../gateway/calls.js';
import { makeKeyWith, makeTenant, type Tenant } from '../support/actors.js';
import { countQueries } from '../support/count-queries.js';
import { mustStream, type OpenEventStream, openStream, refusedStream } from '../support/event-stream.js';
import { eventually } from '../support/eventually.js';
import { ModelDouble } from '../support/providers/model-double.js';
import { startService } from '../support/service.js';
import { DOCK, importedTool, importTool } from '../tools/make.js';

const OF_KEY = 2;
const OF_PROJECT = 3;
const double = await ModelDouble.start();
const service = await startService({
  STREAMS_PER_KEY: String(OF_KEY),
  STREAMS_PER_PROJECT: String(OF_PROJECT),
});
const open: OpenEventStream[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((stream) => stream.close()));
});
afterAll(async () => {
  await service.stop();
  await double.stop();
});

/** Makes a project with a dock job that never begins. */
async function withJob() {
  const tenant = await makeTenant(service);
  const job = await aWaitingJob({ service, tenant });
  return { tenant, path: `${DOCK}/${job.id}/events`, jobId: job.id };
}

async function follow(key: string, path: string, body?: object): Promise<OpenEventStream> {
  const stream = await mustStream(service, { key, path, ...(body && { body }) });
  open.push(stream);
  return stream;
}

async function chatOf(tenant: Tenant) {
  const model = await connectTo(tenant, double, 'halting');
  return { model, stream: true, messages: [{ role: 'user', content: 'Hello' }] };
}

const TOO_MANY = {
  outcome: '429 TOO_MANY_STREAMS',
  headers: { 'retry-after': '5' },
};
const reasonOf = async (refusal: ReturnType<typeof refusedStream>) => {
  const { outcome, headers, text } = await refusal;
  expect({ outcome, headers: { 'retry-after': headers.get('retry-after') } }).toEqual(TOO_MANY);
  return text;
};

describe('streams of events', () => {
  it('are limited for a key, whatever their subject is, and nothing is begun for one beyond the limit', async () => {
    const { tenant, path } = await withJob();
    await makeActiveAgent(service, tenant);
    const chat = await chatOf(tenant);
    await (await follow(tenant.key, path)).next();
    await (await follow(tenant.key, COMPLETIONS, chat)).next();
    const calls = double.calls.length;
    const run = { sessionIdentity: byReference('one'), input: 'Hello', stream: true };
    expect(await reasonOf(refusedStream(service, { key: tenant.key, path }))).toContain(`The key has ${OF_KEY} open`);
    await reasonOf(refusedStream(service, { key: tenant.key, path: COMPLETIONS, body: chat }));
    await reasonOf(refusedStream(service, { key: tenant.key, path: runsPath(tenant), body: run }));
    expect(double.calls).toHaveLength(calls);
    expect(await service.database.rows('select from run where app_id = $1', [tenant.appId])).toEqual([]);
    // A request that is no stream is still accepted.
    expect((await tenant.api.post(runsPath(tenant), { ...run, stream: false })).outcome).toBe('200');
  });

  it('are limited for each project separately', async () => {
    const { tenant, path } = await withJob();
    const other = await makeKeyWith(service, tenant, ['RUN_API']);
    for (let count = 0; count < OF_KEY; count += 1) await follow(tenant.key, path);
    await follow(other.key, path);
    expect(await reasonOf(refusedStream(service, { key: other.key, path }))).toContain(
      `The project has ${OF_PROJECT} open`,
    );
    const elsewhere = await withJob();
    expect((await follow(elsewhere.tenant.key, elsewhere.path)).status).toBe(200);
  });

  it('are no longer counted once their client has left, or they have ended', async () => {
    const { tenant, path } = await withJob();
    const first = await follow(tenant.key, path);
    await follow(tenant.key, path);
    await reasonOf(refusedStream(service, { key: tenant.key, path }));
    await first.close();
    const again = await eventually(
      () => openStream(service, { key: tenant.key, path }),
      ({ status }) => status === 200,
    );
    await (again as OpenEventStream).close();
    const over = await importTool(tenant);
    const follows = () => tenant.api.get(`${DOCK}/${over.dockStatusId}/events`);
    for (let count = 0; count < 3 * OF_KEY; count += 1) await eventually(follows, ({ status }) => status === 200);
  });

  it('are not counted if they were refused for another reason', async () => {
    const { tenant, path } = await withJob();
    for (let count = 0; count < 2 * OF_KEY; count += 1) {
      expect((await tenant.api.get(`${DOCK}/ds-0VJ8kQ2xT4bN7mRw1ZcYp3/events`)).outcome).toBe('404 DOCK_JOB_NOT_FOUND');
    }
    await follow(tenant.key, path);
  });
});

describe('the events of a dock job', () => {
  it('come from its notifications, without a statement to the database', async () => {
    const { tenant, path, jobId } = await withJob();
    const stream = await follow(tenant.key, path);
    expect(await stream.next()).toContain('"percentageComplete":0');
    const notifications = service.app.get(Notifications);
    let percentage = 0;
    const readNext = async () => {
      percentage += 1;
      notifications.notify(`dock:${jobId}`, { percentageComplete: percentage, stage: 'Working' });
      const event = await stream.next();
      expect(event).toContain(`"percentageComplete":${percentage},`);
      expect(event).toContain('"stage":"Working"');
    };
    // The service may send statements of its own meanwhile, such as the search for due jobs.
    let queries = 1;
    for (let time = 0; time < 10 && queries > 0; time += 1) queries = await countQueries(service, readNext);
    expect(queries).toBe(0);
  });

  it('end with the row, whatever was notified before', async () => {
    const tenant = await makeTenant(service);
    const toolId = await importedTool(tenant);
    const started = await tenant.api.post<{ dockStatusId: string }>(`/api/public/tools/${toolId}/deploy`, {
      isAsync: true,
    });
    const { text } = await tenant.api.get(`${DOCK}/${started.body.dockStatusId}/events`);
    expect(text.split('\n\n').filter(Boolean).at(-1)).toMatch(/^event: end\ndata: .*"status":"SUCCESS"/);
  });
});
