import type { Samples, World } from '../support/samples.js';
import { anExport, aWaitingJob, linkOf } from './make.js';

const DOCK = 'GET /api/public/dock-status/{dockStatusId}';
const ADMIN = '/api/admin/v1/projects/{projectId}/dock-jobs';

export const samples: Samples = {
  [DOCK]: async (world: World) => ({ params: await anEndedJob(world) }),
  [`${DOCK}/events`]: async (world: World) => ({ params: await anEndedJob(world) }),
  [`${DOCK}/content`]: async (world: World) => {
    const job = await anExport(world);
    return {
      params: { dockStatusId: job.dockStatusId },
      query: Object.fromEntries(linkOf(job).searchParams),
    };
  },
  [`GET ${ADMIN}`]: ({ tenant: { projectId } }: World) => ({ params: { projectId }, query: { status: 'SUCCESS' } }),
  [`GET ${ADMIN}/{dockStatusId}`]: async (world: World) => ({
    params: { projectId: world.tenant.projectId, ...(await anEndedJob(world)) },
  }),
  [`POST ${ADMIN}/{dockStatusId}/cancel`]: async (world: World) => ({
    params: { projectId: world.tenant.projectId, dockStatusId: (await aWaitingJob(world)).id },
  }),
};

async function anEndedJob(world: World): Promise<{ dockStatusId: string }> {
  return { dockStatusId: (await anExport(world)).dockStatusId };
}
