import { administratorOf, makeTenant } from '../support/actors.js';
import { readMetric, readSamples } from '../support/metrics.js';
import { startService } from '../support/service.js';
import { aWaitingJob, anExport } from './make.js';

const service = await startService();
const tenant = await makeTenant(service);
afterAll(() => service.stop());

const NAME = 'slipway_dock_jobs';
const tools = (action: string, state: string) => readMetric(service, NAME, { type: 'TOOLS', action, state });

it('the metric counts dock jobs by type, action and state, and has no other labels', async () => {
  expect(await tools('EXPORT', 'succeeded')).toBe(0);
  const { dockStatusId } = await anExport({ tenant });
  const job = await aWaitingJob({ service, tenant });
  expect([await tools('EXPORT', 'succeeded'), await tools('IMPORT', 'succeeded')]).toEqual([1, 1]);
  expect([await tools('IMPORT', 'waiting'), await tools('IMPORT', 'running')]).toEqual([1, 0]);

  await administratorOf(service).post(`/api/admin/v1/projects/${tenant.projectId}/dock-jobs/${job.id}/cancel`);
  expect([await tools('IMPORT', 'waiting'), await tools('IMPORT', 'failed')]).toEqual([0, 1]);

  await service.database.rows(`update dock_job set finished_at = now() - interval '25 hours' where id = $1`, [
    dockStatusId,
  ]);
  expect(await tools('EXPORT', 'succeeded')).toBe(0);
  const samples = (await readSamples(service)).filter(({ name }) => name === NAME);
  expect(samples).toHaveLength(3 * 4 * 4);
  for (const { labels } of samples) expect(Object.keys(labels).toSorted()).toEqual(['action', 'state', 'type']);
});
