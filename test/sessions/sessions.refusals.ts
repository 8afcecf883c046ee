import { newId } from '../../src/kernel/ids.js';
import { administratorOf } from '../support/actors.js';
import type { Refusals } from '../support/samples.js';
import { create, details, ident, makeSession, ref, sessionsPath, terminate, user } from './make.js';
import { aFile } from './sessions.samples.js';

export const refusals: Refusals = {
  SESSION_NOT_FOUND: ({ tenant }) => details(tenant, newId('session')),
  SESSION_TERMINATED: async ({ tenant }) => {
    const { sessionId } = await makeSession(tenant, [ref('over')]);
    await terminate(tenant, [ref('over')]);
    return create(tenant, [ident(sessionId)]);
  },
  SESSION_IDENTITY_CONFLICT: async ({ tenant }) => {
    const { sessionId } = await makeSession(tenant, [ref('one')]);
    return create(tenant, [ident(sessionId), ref('two')]);
  },
  SESSION_OWNER_MISMATCH: async ({ tenant }) => {
    await makeSession(tenant, [ref('owned'), user('me')]);
    return create(tenant, [ref('owned'), user('you')]);
  },
  USER_NOT_FOUND: ({ service, tenant }) =>
    administratorOf(service).get(`/api/admin/v1/apps/${tenant.appId}/users/${newId('user')}/erasure`),
  ERASURE_NOT_FOUND: async ({ service, tenant }) => {
    await makeSession(tenant, [user('somebody')]);
    const users = `/api/admin/v1/apps/${tenant.appId}/users`;
    const [found] = (await administratorOf(service).get<{ data: { userId: string }[] }>(users)).body.data;
    return administratorOf(service).get(`${users}/${found!.userId}/erasure`);
  },
  ATTACHMENT_REJECTED: async (world) => {
    const { tenant, service } = world;
    const path = `/api/admin/v1/apps/${tenant.appId}/session-settings`;
    await administratorOf(service).patch(path, { isAttachmentsEnabled: false });
    const { sessionId } = await makeSession(tenant);
    const { fileId } = await aFile(world);
    return tenant.api.post(`${sessionsPath(tenant)}/${sessionId}/attachments`, { fileId });
  },
};
