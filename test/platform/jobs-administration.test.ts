import { newId } from '../../src/kernel/ids.js';
import { DAY_MS } from '../../src/kernel/spans.js';
import { COUNTED_JOBS } from '../../src/platform/queue/administration/job-summaries.js';
import { MetricsRegistry } from '../../src/platform/telemetry/metrics.js';
import { administratorOf } from '../support/actors.js';
import { eventually } from '../support/eventually.js';
import { begun, quick, startJobs, untilBegun } from './jobs.fixture.js';

const JOBS = '/api/admin/v1/jobs';

interface Listed {
  jobId: string;
  state: string;
  data: Record<string, unknown>;
  error: string | null;
  attempts: number;
}
interface Counts {
  waiting: number;
  due: number;
  running: number;
  suspended: number;
  late: number;
  failed: number;
  oldestWaitingSeconds: number;
}
type Summary = Counts & { name: string };
type LaneSummary = Counts & { lane: string; projectId: string | null };

const { service, add, becomes, stop } = await startJobs();
const administrator = administratorOf(service);
afterAll(stop);

const list = async (query: Record<string, string>) => {
  const { body } = await administrator.get<{ data: Listed[]; meta: { nextCursor: string | null } }>(JOBS, { query });
  return { jobs: body.data, ids: body.data.map(({ jobId }) => jobId), nextCursor: body.meta.nextCursor };
};
const read = async (jobId: string) => (await administrator.get<{ data: Listed }>(`${JOBS}/${jobId}`)).body.data;
const summaryOf = async (name: string) => {
  const { body } = await administrator.get<{ data: Summary[] }>(`${JOBS}/summary`);
  return body.data.find((summary) => summary.name === name)!;
};

it('lists jobs newest first, page by page', async () => {
  quick.is = (note) => note.startsWith('page');
  const lane = newId('app');
  const added: string[] = [];
  for (let page = 0; page < 5; page += 1) added.unshift(await add(`page ${page}`, { lane }));
  await becomes(added[0]!, 'done');
  const first = await list({ lane, limit: '3' });
  expect(first.ids).toEqual(added.slice(0, 3));
  const second = await list({ lane, limit: '3', cursor: first.nextCursor! });
  expect(second).toMatchObject({ ids: added.slice(3), nextCursor: null });
});

it('finds them by state, name, project and lane', async () => {
  const projectId = newId('project');
  const failed = await add('fails', { projectId, lane: 'l1' });
  for (let attempt = 1; attempt <= 2; attempt += 1) (await untilBegun('fails')).fail();
  await becomes(failed, 'failed');
  const running = await add('runs', { projectId, lane: 'l2' });
  await untilBegun('runs');
  expect((await list({ projectId })).ids).toEqual([running, failed]);
  expect((await list({ projectId, state: 'failed' })).ids).toEqual([failed]);
  expect((await list({ projectId, state: 'running', name: 'test.in-order' })).ids).toEqual([running]);
  expect((await list({ projectId, name: 'test.in-parallel' })).ids).toEqual([]);
  expect((await list({ projectId, lane: 'l1' })).ids).toEqual([failed]);
  expect((await administrator.get(JOBS, { query: { state: 'odd' } })).outcome).toBe('400 VALIDATION_ERROR');
  begun.get('runs')!.finish();
});

it('shows only the ids and numbers in the data of a job', async () => {
  quick.is = () => true;
  const jobId = await add('secret things');
  expect((await read(jobId)).data).toEqual({ note: '***' });
  await service.database.rows('update job set data = $2 where id = $1', [jobId, { note: newId('app'), count: 3 }]);
  expect((await read(jobId)).data).toEqual({ note: expect.stringMatching(/^aa-/) as string, count: 3 });
  quick.is = () => false;
});

it('cancels a job and runs it again', async () => {
  const jobId = await add('unwanted');
  await untilBegun('unwanted');
  expect((await administrator.post(`${JOBS}/${jobId}/retry`)).outcome).toBe('409 JOB_NOT_FAILED');
  const cancelled = await administrator.post(`${JOBS}/${jobId}/cancel`);
  expect(cancelled.body).toMatchObject({ data: { state: 'failed', error: 'Cancelled by admin' } });
  expect((await administrator.post(`${JOBS}/${jobId}/cancel`)).outcome).toBe('409 JOB_ENDED');
  await eventually(() => !begun.has('unwanted'));

  const again = await administrator.post<{ data: Listed }>(`${JOBS}/${jobId}/retry`);
  expect(again.outcome).toBe('200');
  (await untilBegun('unwanted')).finish();
  await becomes(jobId, 'done');
  expect((await read(jobId)).attempts).toBe(1);

  const audit = await administrator.get('/api/admin/v1/audit', { query: { targetId: jobId } });
  const retried = { before: { state: 'failed' }, after: { state: 'waiting' } };
  expect(audit.body).toMatchObject({ data: [retried, { before: { state: 'running' }, after: { state: 'failed' } }] });
});

it('counts queued, due, running, suspended, late and failed jobs by name', async () => {
  const before = await summaryOf('test.in-order');
  await add('counted', { lane: 'counted' });
  await add('behind', { lane: 'counted' });
  const tomorrow = new Date(Date.now() + DAY_MS);
  await add('tomorrow', { runAt: tomorrow });
  await untilBegun('counted');
  await service.database.rows(
    `update job set run_at = now() - interval '5 minutes' where lane = 'counted' and state = 'queued'`,
  );
  const after = await summaryOf('test.in-order');
  expect(after).toMatchObject({
    waiting: before.waiting + 2,
    // The job of tomorrow needs no worker yet.
    due: before.due + 1,
    running: before.running + 1,
    late: before.late + 1,
    failed: before.failed,
  });
  expect(after.oldestWaitingSeconds).toBeGreaterThanOrEqual(300);
  expect(await summaryOf('access.finish-revocation')).toMatchObject({ waiting: 0, oldestWaitingSeconds: 0 });
});

it('counts the jobs of the fullest lanes', async () => {
  const projectId = newId('project');
  for (const note of ['l1', 'l2', 'l3']) await add(note, { lane: 'fullest', projectId });
  for (const note of ['l4', 'l5']) await add(note, { lane: 'full' });
  await untilBegun('l1');
  await untilBegun('l4');
  await service.database.rows(
    `insert into job (id, name, lane, data, state, run_at, created_at, finished_at)
     values ($1, 'test.in-order', 'broken', '{"note":""}', 'failed', now(), now(), now())`,
    [newId('job')],
  );
  const { body } = await administrator.get<{ data: LaneSummary[] }>(`${JOBS}/lanes`, { query: { limit: '2' } });
  expect(body.data).toHaveLength(2);
  expect(body.data[0]).toMatchObject({ lane: 'fullest', projectId, waiting: 2, running: 1, suspended: 0, failed: 0 });
  const all = (await administrator.get<{ data: LaneSummary[] }>(`${JOBS}/lanes`)).body.data;
  expect(all).toContainEqual(expect.objectContaining({ lane: 'full', projectId: null, waiting: 1, running: 1 }));
  expect(all).toContainEqual(expect.objectContaining({ lane: 'broken', waiting: 0, failed: 1 }));
  // Jobs of their own lane are left out, and recurring jobs, of which the database has some.
  expect(all.filter(({ lane }) => lane.startsWith('j-') || lane === 'ledger.tidy')).toEqual([]);
  for (const [name, value] of [
    ['limit', '0'],
    ['limit', '101'],
    ['cursor', newId('job')],
  ] as const) {
    expect((await administrator.get(`${JOBS}/lanes`, { query: { [name]: value } })).outcome).toBe(
      '400 VALIDATION_ERROR',
    );
  }
  quick.is = () => true;
  for (const { finish } of begun.values()) finish();
  await eventually(
    () => service.database.rows(`select from job where lane in ('fullest', 'full') and state <> 'done'`),
    (jobs) => jobs.length === 0,
  );
  quick.is = () => false;
});

it('reports the same to Prometheus, and what this process ran', async () => {
  const registry = service.app.get(MetricsRegistry);
  const linesOf = ({ waiting, due, running, late, failed }: Awaited<ReturnType<typeof summaryOf>>) =>
    Object.entries({ waiting, due, running, late, failed, suspended: 0 }).map(
      ([state, count]) => `slipway_jobs{name="test.in-order",queue="upkeep",state="${state}"} ${count}`,
    );
  // A job of the test before may end between the two readings.
  const { text, lines } = await eventually(
    async () => ({ lines: linesOf(await summaryOf('test.in-order')), text: await registry.metrics() }),
    (read) => read.lines.every((line) => read.text.includes(`${line}\n`)),
  );
  expect(lines).toHaveLength(6);
  expect(text).toMatch(/^slipway_job_bells_unanswered\{queue="upkeep"\} \d+$/m);
  expect(text).toMatch(/^slipway_job_attempts_total\{name="test.in-order",outcome="done"\} [1-9]/m);
  expect(text).toMatch(/^slipway_job_attempts_total\{name="test.in-order",outcome="retried"\} 1$/m);
  expect(text).toMatch(/^slipway_job_attempts_total\{name="test.in-order",outcome="failed"\} 1$/m);
  expect(text).toMatch(/^slipway_job_attempts_total\{name="test.in-order",outcome="lost"\} 1$/m);
  expect(text).toMatch(/^slipway_job_attempt_seconds_count\{name="test.in-order"\} [1-9]/m);
});

it('cancels a job whose data cannot be read', async () => {
  const jobId = await add('unreadable');
  await untilBegun('unreadable');
  await service.database.rows(`update job set data = '{"x":1}' where id = $1`, [jobId]);
  const cancelled = await administrator.post(`${JOBS}/${jobId}/cancel`);
  expect(cancelled.body).toMatchObject({ data: { state: 'failed', error: 'Cancelled by admin' } });
});

it('counts without reading the jobs that are done', async () => {
  await service.database.rows(
    `insert into job (id, name, lane, data, state, run_at, created_at, finished_at)
     select 'j-done' || n, 'test.in-order', 'j-done' || n, '{"note":""}', 'done', now(), now(), now()
     from generate_series(1, 50000) as n`,
  );
  await service.database.rows('analyze job');
  const { text, values } = COUNTED_JOBS.toQuery();
  const lines = await service.database.rows<{ 'QUERY PLAN': string }>(`explain ${text}`, values);
  const plan = lines.map((line) => line['QUERY PLAN']).join('\n');
  expect(plan).not.toContain('Seq Scan');
});
