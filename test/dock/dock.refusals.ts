import { newId } from '../../src/kernel/ids.js';
import { Dock } from '../../src/modules/dock/dock.service.js';
import { administratorOf } from '../support/actors.js';
import { type Answer, Client } from '../support/client.js';
import type { Refusals, World } from '../support/samples.js';
import { DOCK, filesOf, importedTool, TOOLS } from '../tools/make.js';
import { anExport, aWaitingJob, linkOf } from './make.js';

export const refusals: Refusals = {
  DOCK_JOB_NOT_FOUND: ({ tenant }) => tenant.api.get(`${DOCK}/${newId('dockJob')}`),
  JOB_IN_PROGRESS: async (world) => {
    const { tenant, service } = world;
    const toolId = await importedTool(tenant);
    const job = await aWaitingJob(world);
    await service.database.rows('update dock_job set target_id = $1 where id = $2', [toolId, job.id]);
    return tenant.api.post(`${TOOLS}/${toolId}/import`, await filesOf(tenant));
  },
  DOCK_JOB_ENDED: async (world) => {
    const { dockStatusId } = await anExport(world);
    const path = `/api/admin/v1/projects/${world.tenant.projectId}/dock-jobs/${dockStatusId}/cancel`;
    return administratorOf(world.service).post(path);
  },
  EXPORT_NOT_READY: (world) => downloadOf(world),
  EXPORT_FAILED: (world) =>
    downloadOf(
      world,
      `update dock_job set status = 'FAILED', error_code = 'X', error_message = 'No.', finished_at = now() where id = $1`,
    ),
  EXPORT_LINK_INVALID: async (world) => {
    const link = linkOf(await anExport(world));
    link.searchParams.set('expires', '9999999999');
    return new Client(world.service.url).get(link.pathname + link.search);
  },
};

/** Downloads an export that has not begun, after an optional change of its row. */
async function downloadOf(world: World, change?: string): Promise<Answer> {
  const job = await aWaitingJob(world, 'EXPORT');
  const link = new URL(world.service.app.get(Dock).answer(job).response!.downloadUrl!);
  if (change !== undefined) await world.service.database.rows(change, [job.id]);
  return new Client(world.service.url).get(link.pathname + link.search);
}
