import { isDeepStrictEqual } from 'node:util';
import { newId } from '../../src/kernel/ids.js';
import { administratorOf, makeTenant } from '../support/actors.js';
import { eventually } from '../support/eventually.js';
import { startService } from '../support/service.js';
import { DOCK, type DockBody, ended, filesOf, flowOf, importTool, TOOLS } from '../tools/make.js';
import { anExport, aWaitingJob, linkOf } from './make.js';

const service = await startService();
const tenant = await makeTenant(service);
const { api } = tenant;
const administrator = administratorOf(service);
const admin = `/api/admin/v1/projects/${tenant.projectId}/dock-jobs`;
afterAll(() => service.stop());

it('a dock job is read with all its members', async () => {
  const job = await importTool(tenant);
  const time = expect.stringMatching(/^\d{4}-.+Z$/) as string;
  expect(job).toStrictEqual({
    _id: job.dockStatusId,
    dockStatusId: job.dockStatusId,
    toolId: job.toolId,
    jobType: 'TOOLS',
    action: 'IMPORT',
    status: 'SUCCESS',
    percentageComplete: 100,
    startedAt: time,
    finishedAt: time,
    response: { versionId: expect.stringMatching(/^tv-/) as string, callflows: [{ id: 'main', name: 'Main' }] },
  });
});

it('a failed dock job has the reason', async () => {
  const job = await importTool(tenant, { flow: flowOf([{ id: 'x', type: 'unknown' }]) });
  expect(job).toMatchObject({
    status: 'FAILED',
    error: { code: 'FLOW_DOCUMENT_INVALID', message: expect.stringContaining('callflows.0.nodes.1') as string },
  });
  expect(job).not.toHaveProperty('response');
});

it('a dock job that does not exist has no events, and HEAD says so without a content type', async () => {
  const path = `${DOCK}/${newId('dockJob')}/events`;
  const [read, head] = [await api.get(path), await api.send('HEAD', path)];
  expect([read.outcome, head.outcome]).toEqual(['404 DOCK_JOB_NOT_FOUND', '404 DOCK_JOB_NOT_FOUND']);
  expect(read.headers.get('content-type')).toMatch(/^application\/json/);
  expect(head.headers.get('content-type')).toBeNull();
});

it('a dock job is followed as server-sent events until it ends', async () => {
  const files = await filesOf(tenant);
  const { body } = await api.post<DockBody>(`${TOOLS}/import`, { toolName: 'A tool', ...files });
  const { headers, text } = await api.get(`${DOCK}/${body.dockStatusId}/events`);
  expect(headers.get('content-type')).toContain('text/event-stream');
  const events = text
    .split('\n\n')
    .filter(Boolean)
    .map((event) => /^event: (\w+)\ndata: (.+)$/.exec(event)!)
    .map(([, name, data]) => [name, (JSON.parse(data!) as DockBody).status]);
  expect(events.at(-1)).toEqual(['end', 'SUCCESS']);
  expect(events.slice(0, -1).every(([name, status]) => name === 'progress' && status === 'IN_PROGRESS')).toBe(true);
});

it('an administrator cancels a dock job, once', async () => {
  const job = await aWaitingJob({ service, tenant });
  const cancel = () => administrator.post<{ data: DockBody }>(`${admin}/${job.id}/cancel`);
  expect((await cancel()).body.data).toMatchObject({ status: 'FAILED', error: { code: 'JOB_CANCELLED' } });
  expect((await cancel()).outcome).toBe('409 DOCK_JOB_ENDED');
  expect((await api.get<DockBody>(`${DOCK}/${job.id}`)).body.status).toBe('FAILED');
});

it('a dock job is FAILED when its process dies in every attempt', async () => {
  const job = await aWaitingJob({ service, tenant });
  await service.database.rows('update job set attempt = 3, run_at = now() where id = $1', [job.jobId]);
  const over = await ended(tenant, { dockStatusId: job.id } as DockBody);
  expect(over).toMatchObject({ status: 'FAILED', error: { code: 'WORKER_DIED' } });
});

it('a dock job that the release before has added is done', async () => {
  const job = await aWaitingJob({ service, tenant });
  await service.database.rows(`update job set data = data - 'work', run_at = now() where id = $1`, [job.jobId]);
  const over = await ended(tenant, { dockStatusId: job.id } as DockBody);
  expect(over).toMatchObject({ status: 'FAILED', error: { code: 'FILE_NOT_FOUND' } });
});

it('a dock job stays as it ended when an administrator has its job tried again', async () => {
  const job = await aWaitingJob({ service, tenant });
  await administrator.post(`${admin}/${job.id}/cancel`);
  await administrator.post(`/api/admin/v1/jobs/${job.jobId}/retry`);
  const [again] = await eventually(
    () => service.database.rows('select state, attempt from job where id = $1', [job.jobId]),
    ([row]) => (row as { state: string }).state === 'done',
  );
  expect(again).toEqual({ state: 'done', attempt: 2 });
  expect((await api.get<DockBody>(`${DOCK}/${job.id}`)).body.error?.code).toBe('JOB_CANCELLED');
});

/** The failure of an import asks in its transaction before the end is sent, and that of an export does not. */
it.each(['IMPORT', 'EXPORT'] as const)(
  'a dock job stays as it ended when an attempt at its %s ends later',
  async (of) => {
    const { id, jobId } = await aWaitingJob({ service, tenant }, of);
    const job = async () => (await service.database.rows('select state, attempt from job where id = $1', [jobId]))[0];
    await service.database.rows(
      `update dock_job set status = 'FAILED', error_code = 'JOB_CANCELLED', error_message = 'x', finished_at = now()
     where id = $1`,
      [id],
    );
    for (const after of [
      { state: 'queued', attempt: 1 },
      { state: 'done', attempt: 2 },
    ]) {
      await service.database.rows('update job set run_at = now() where id = $1', [jobId]);
      expect(await eventually(job, (row) => isDeepStrictEqual(row, after))).toEqual(after);
    }
    expect((await api.get<DockBody>(`${DOCK}/${id}`)).body.error).toEqual({ code: 'JOB_CANCELLED', message: 'x' });
  },
);

it('a dock job of an unknown kind waits for another process, and is FAILED after the last attempt', async () => {
  const job = await aWaitingJob({ service, tenant });
  const done = `update job set data = jsonb_set(data, '{work,jobType}', '"GUARDRAILS"'), run_at = now() where id = $1`;
  await service.database.rows(done, [job.jobId]);
  const [released] = await eventually(
    () => service.database.rows('select state, attempt, forgiven from job where id = $1', [job.jobId]),
    ([row]) => (row as { forgiven: number }).forgiven === 1,
  );
  expect(released).toEqual({ state: 'queued', attempt: 1, forgiven: 1 });
  expect((await api.get<DockBody>(`${DOCK}/${job.id}`)).body.status).toBe('IN_PROGRESS');
  await service.database.rows(`update dock_job set job_type = 'GUARDRAILS' where id = $1`, [job.id]);
  await service.database.rows('update job set attempt = 999, run_at = now() where id = $1', [job.jobId]);
  expect(await ended(tenant, { dockStatusId: job.id } as DockBody)).toMatchObject({ error: { code: 'INTERNAL' } });
});

it('a dock job is FAILED with a reason when its files are gone', async () => {
  const job = await aWaitingJob({ service, tenant });
  await service.database.rows('update job set run_at = now() where id = $1', [job.jobId]);
  const over = await eventually(
    async () => (await api.get<DockBody>(`${DOCK}/${job.id}`)).body,
    ({ status }) => status !== 'IN_PROGRESS',
    30_000,
  );
  expect(over).toMatchObject({ status: 'FAILED', error: { code: 'FILE_NOT_FOUND' } });
});

it('administration lists dock jobs newest first, by status and target', async () => {
  const own = await makeTenant(service);
  const first = await importTool(own);
  const second = await importTool(own, { flow: {} });
  const list = async (query: Record<string, string> = {}) => {
    const path = `/api/admin/v1/projects/${own.projectId}/dock-jobs`;
    const { body } = await administrator.get<{ data: DockBody[]; meta: { nextCursor: string | null } }>(path, {
      query,
    });
    return { ids: body.data.map(({ dockStatusId }) => dockStatusId), next: body.meta.nextCursor };
  };
  expect((await list()).ids).toEqual([second.dockStatusId, first.dockStatusId]);
  expect((await list({ status: 'FAILED' })).ids).toEqual([second.dockStatusId]);
  expect((await list({ targetId: first.toolId })).ids).toEqual([first.dockStatusId]);
  expect((await list({ jobType: 'MODELS' })).ids).toEqual([]);
  const { ids, next } = await list({ limit: '1' });
  expect(ids).toEqual([second.dockStatusId]);
  expect((await list({ limit: '1', cursor: next! })).ids).toEqual([first.dockStatusId]);
});

it('the link to an export accepts ranges', async () => {
  const job = await anExport({ tenant });
  const { bytes, status } = await fetchBytes(linkOf(job).href);
  expect(status).toBe(200);
  const part = await fetchBytes(linkOf(job).href, { range: 'bytes=0-3' });
  expect([part.status, part.bytes]).toEqual([206, bytes.subarray(0, 4)]);
  expect(bytes.subarray(0, 4)).toEqual(Buffer.from('PK\x03\x04', 'latin1'));
});

async function fetchBytes(url: string, headers: Record<string, string> = {}) {
  const response = await fetch(url, { headers });
  return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) };
}
