import { makeKeyWith } from '../support/actors.js';
import type { Samples, World } from '../support/samples.js';
import { BODIES, KEY, makeConnection } from './make.js';

const ADMIN = '/api/admin/v1/projects/{projectId}/connections';

export const samples: Samples = {
  'GET /api/public/connections': () => ({ query: { provider: 'Vendor1', limit: '2' } }),
  'POST /api/public/connections': () => ({ body: { connectionName: 'Main model', ...BODIES.CloudVendor1 } }),
  'GET /api/public/connections/{connectionId}': async (world) => ({ params: await aConnection(world) }),
  'PATCH /api/public/connections/{connectionId}': async (world) => ({
    params: await aConnection(world),
    body: { fields: { API_KEY: KEY } },
  }),
  'GET /api/admin/v1/connection-protocols': () => ({}),
  [`GET ${ADMIN}`]: ({ tenant: { projectId } }: World) => ({ params: { projectId } }),
  [`GET ${ADMIN}/{connectionId}`]: async (world: World) => ({ params: await ofProject(world) }),
  [`PATCH ${ADMIN}/{connectionId}`]: async (world: World) => ({
    params: await ofProject(world),
    body: { status: 'INACTIVE' },
  }),
  [`POST ${ADMIN}/{connectionId}/test`]: async (world: World) => ({ params: await ofProject(world) }),
  [`DELETE ${ADMIN}/{connectionId}`]: async (world: World) => ({ params: await ofProject(world) }),
};

/** Creates the connection with a key that has the permission, because the caller's key may lack it. */
async function aConnection({ service, tenant }: World): Promise<{ connectionId: string }> {
  const { api } = await makeKeyWith(service, tenant, ['CONNECTIONS_MANAGE']);
  const { connectionId } = await makeConnection({ ...tenant, api });
  return { connectionId };
}

async function ofProject(world: World): Promise<{ projectId: string; connectionId: string }> {
  return { projectId: world.tenant.projectId, ...(await aConnection(world)) };
}
