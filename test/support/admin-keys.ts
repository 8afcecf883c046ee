import { administratorOf, uniqueName } from './actors.js';
import type { Answer } from './client.js';
import type { Target } from './service.js';

const PATH = '/api/admin/v1/admin-keys';

export interface NamedAdminKey {
  adminKeyId: string;
  name: string;
  adminKey: string;
}

/** Makes a named administration key. */
export async function makeAdminKey(target: Target, name = uniqueName('administrator')): Promise<NamedAdminKey> {
  const { body, outcome } = await administratorOf(target).post<{ data: NamedAdminKey }>(PATH, { name });
  if (outcome !== '201') throw new Error(`POST ${PATH} answered ${outcome}`);
  return body.data;
}

export function revokeAdminKey(target: Target, adminKeyId: string): Promise<Answer> {
  return administratorOf(target).delete(`${PATH}/${adminKeyId}`);
}
