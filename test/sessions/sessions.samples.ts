import { upload } from '../files/files.js';
import { administratorOf, makeKeyWith, type Tenant } from '../support/actors.js';
import type { Samples, World } from '../support/samples.js';
import { makeSession, ref, user } from './make.js';

const AT = '/api/v2/apps/{appId}/environments/{envName}/sessions';
const ADMIN = '/api/admin/v1/apps/{appId}';

export const samples: Samples = {
  [`POST ${AT}`]: ({ tenant }: World) => ({ params: place(tenant), body: { sessionIdentity: [user('customer-17')] } }),
  [`POST ${AT}/terminate`]: async (world: World) => {
    const { sessionId } = await aSession(world);
    return { params: place(world.tenant), body: { sessionIdentity: [{ type: 'sessionId', value: sessionId }] } };
  },
  [`POST ${AT}/{sessionId}/attachments`]: async (world: World) => {
    const { sessionId } = await aSession(world);
    const { fileId } = await aFile(world);
    return { params: { ...place(world.tenant), sessionId }, body: { fileId } };
  },
  'POST /api/public/apps/{appId}/sessions/list': ({ tenant: { appId } }) => ({ params: { appId }, body: {} }),
  'GET /api/public/apps/{appId}/sessions': async (world) => {
    const { sessionId } = await aSession(world);
    return { params: { appId: world.tenant.appId }, query: { session_id: sessionId, include: 'traces' } };
  },
  [`GET ${ADMIN}/session-settings`]: ({ tenant: { appId } }: World) => ({ params: { appId } }),
  [`PATCH ${ADMIN}/session-settings`]: ({ tenant: { appId } }: World) => ({
    params: { appId },
    body: { maxFileCount: 3 },
  }),
  [`GET ${ADMIN}/users`]: ({ tenant: { appId } }: World) => ({ params: { appId } }),
  [`POST ${ADMIN}/users/{userId}/erasure`]: async (world: World) => ({ params: await aUser(world) }),
  [`GET ${ADMIN}/users/{userId}/erasure`]: async (world: World) => {
    const params = await aUser(world);
    const path = `/api/admin/v1/apps/${params.appId}/users/${params.userId}/erasure`;
    const { status, text } = await administratorOf(world.service).post(path);
    if (status !== 201) throw new Error(`No erasure: ${text}`);
    return { params };
  },
};

/** Creates a session with a key that has the permission, because the key of the sample may lack it. */
export async function aSession({ service, tenant }: World) {
  const { api } = await makeKeyWith(service, tenant, ['SESSION_CREATION']);
  return makeSession({ ...tenant, api }, [ref(`sample-${Math.random()}`)]);
}

async function aUser(world: World) {
  const { userId } = await aSession(world);
  return { appId: world.tenant.appId, userId };
}

export async function aFile(
  { service, tenant }: World,
  input: { name?: string; content?: string } = {},
): Promise<{ fileId: string }> {
  const { api } = await makeKeyWith(service, tenant, ['RUN_API']);
  const answer = await upload(api, input);
  if (answer.status !== 201) throw new Error(`No file: ${answer.text}`);
  return answer.body;
}

function place({ appId }: Tenant) {
  return { appId, envName: 'production' };
}
