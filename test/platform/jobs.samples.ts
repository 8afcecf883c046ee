import { newId } from '../../src/kernel/ids.js';
import type { Samples, World } from '../support/samples.js';

export const samples: Samples = {
  'GET /api/admin/v1/jobs': () => ({ query: { limit: '1', state: 'waiting' } }),
  'GET /api/admin/v1/jobs/summary': () => ({}),
  'GET /api/admin/v1/jobs/lanes': () => ({ query: { limit: '5' } }),
  'GET /api/admin/v1/jobs/{jobId}': async (world) => ({ params: { jobId: await aJob(world, 'queued') } }),
  'POST /api/admin/v1/jobs/{jobId}/cancel': async (world) => ({ params: { jobId: await aJob(world, 'queued') } }),
  'POST /api/admin/v1/jobs/{jobId}/retry': async (world) => ({ params: { jobId: await aJob(world, 'failed') } }),
};

/** Makes a job for a key that does not exist. The job is due tomorrow, so that it stays as it is. */
export async function aJob({ service, tenant }: World, state: 'queued' | 'done' | 'failed'): Promise<string> {
  const jobId = newId('job');
  await service.database.rows(
    `insert into job (id, name, project_id, lane, place, data, state, run_at, created_at, finished_at)
     values ($1, 'access.finish-revocation', $2, $1, case when $4 = 'queued' then 1 end, $3, $4,
             now() + interval '1 day', now(), case when $4 <> 'queued' then now() end)`,
    [jobId, tenant.projectId, JSON.stringify({ keyId: newId('apiKey') }), state],
  );
  return jobId;
}
