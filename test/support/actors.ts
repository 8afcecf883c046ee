import type { Permission } from '../../src/kernel/permissions.js';
import { PERMISSION_NAMES } from '../../src/modules/permissions.js';
import { type Answer, Client } from './client.js';
import type { Target } from './service.js';

export type Granted = readonly Permission[];

/** A project with one app, one scope and one key of it. Rows of other tenants do not exist for it. */
export interface Tenant {
  projectId: string;
  appId: string;
  scopeId: string;
  scopeName: string;
  keyId: string;
  key: string;
  /** A client with the tenant's key. */
  api: Client;
}

interface TenantInput {
  /** All permissions by default. */
  permissions?: Granted;
  /** Null sets no ceiling. */
  ceiling?: Granted | null;
}

export interface Scope {
  scopeId: string;
  scopeName: string;
}

export interface Key {
  keyId: string;
  key: string;
  api: Client;
}

const ADMIN = '/api/admin/v1';

export function administratorOf(target: Target): Client {
  return Client.withKey(target, target.adminKey);
}

export async function makeTenant(target: Target, input: TenantInput = {}): Promise<Tenant> {
  const projectId = await makeProject(target);
  const appId = await makeApp(target, projectId);
  const scope = await makeScope(target, appId, input);
  return { projectId, appId, ...scope, ...(await makeKey(target, appId, scope.scopeName)) };
}

export async function makeProject(target: Target, name = 'A project'): Promise<string> {
  return (await made<{ projectId: string }>(target, '/projects', { name })).projectId;
}

export async function makeApp(target: Target, projectId: string, name = 'An app'): Promise<string> {
  return (await made<{ appId: string }>(target, `/projects/${projectId}/apps`, { name })).appId;
}

export async function makeScope(
  target: Target,
  appId: string,
  input: TenantInput & { name?: string } = {},
): Promise<Scope> {
  const { name = uniqueName('scope'), permissions = PERMISSION_NAMES, ceiling = null } = input;
  return made<Scope>(target, `/apps/${appId}/scopes`, {
    scopeName: name,
    permissions: yesTo(permissions),
    ceiling: ceiling && yesTo(ceiling),
  });
}

export async function makeKey(
  target: Target,
  appId: string,
  scopeName: string,
  { name = uniqueName('key'), expiresAt }: { name?: string; expiresAt?: string } = {},
): Promise<Key> {
  const input = { scopeName, apiKeyName: name, expiresAt };
  const { keyId, apikey } = await made<{ keyId: string; apikey: string }>(target, `/apps/${appId}/apikeys`, input);
  return { keyId, key: apikey, api: Client.withKey(target, apikey) };
}

/** Makes a scope in the tenant's app that has these permissions, and a key of it. */
export async function makeKeyWith(
  target: Target,
  tenant: Tenant,
  permissions: Granted,
  ceiling: Granted | null = null,
) {
  const scope = await makeScope(target, tenant.appId, { permissions, ceiling });
  return { ...scope, ...(await makeKey(target, tenant.appId, scope.scopeName)) };
}

export async function revoke(target: Target, appId: string, keyId: string): Promise<Answer> {
  return administratorOf(target).delete(`${ADMIN}/apps/${appId}/apikeys/${keyId}`);
}

export function yesTo(permissions: Granted): Partial<Record<Permission, 'YES'>> {
  return Object.fromEntries(permissions.map((name) => [name, 'YES']));
}

let names = 0;

export function uniqueName(what: string): string {
  names += 1;
  return `${what} ${names}`;
}

async function made<Data>(target: Target, path: string, input: object): Promise<Data> {
  const { status, body, text } = await administratorOf(target).post<{ data: Data }>(ADMIN + path, input);
  if (status !== 201) throw new Error(`POST ${ADMIN}${path} answered ${status}: ${text}`);
  return body.data;
}
