import { administratorOf, uniqueName } from './actors.js';
import type { AdminRole } from '../../src/kernel/roles.js';
import { type Answer, Client } from './client.js';
import type { Target } from './service.js';

const PATH = '/api/admin/v1/admin-keys';

export interface NamedAdminKey {
  adminKeyId: string;
  name: string;
  adminKey: string;
}

/** Makes a named administration key. */
export async function makeAdminKey(
  target: Target,
  name = uniqueName('administrator'),
  role: AdminRole = 'owner',
  projectId?: string,
): Promise<NamedAdminKey> {
  const wanted = { name, role, ...(projectId !== undefined && { projectId }) };
  const { body, outcome } = await administratorOf(target).post<{ data: NamedAdminKey }>(PATH, wanted);
  if (outcome !== '201') throw new Error(`POST ${PATH} answered ${outcome}`);
  return body.data;
}

/** Returns a client with the key of a new administrator, who has the role in one project or in the whole installation. */
export async function administratorWith(target: Target, role: AdminRole, projectId?: string): Promise<Client> {
  return Client.withKey(target, (await makeAdminKey(target, undefined, role, projectId)).adminKey);
}

export function revokeAdminKey(target: Target, adminKeyId: string): Promise<Answer> {
  return administratorOf(target).delete(`${PATH}/${adminKeyId}`);
}
