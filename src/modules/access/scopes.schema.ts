import { z } from 'zod';
import { type Permission, toPermissionMap } from '../../kernel/permissions.js';
import { displayName, id, timestamp } from '../../kernel/schema.js';
import { PERMISSION_NAMES, PERMISSIONS } from '../permissions.js';
import type { Scope } from './scope.entity.js';

const yesOrNo = z.enum(['YES', 'NO']);

function permissionsOf<Member extends z.ZodType>(member: (permission: Permission) => Member) {
  const members = PERMISSION_NAMES.map((permission) => [permission, member(permission)]);
  return Object.fromEntries(members) as Record<Permission, Member>;
}

/** Some of the permissions, each YES or NO. */
export const PermissionChanges = z
  .strictObject(permissionsOf((permission) => yesOrNo.optional().describe(PERMISSIONS[permission].allows)))
  .meta({ id: 'PermissionChanges', examples: [{ RUN_API: 'YES', SESSIONS_LIST: 'NO' }] });

/** All permissions, each YES or NO. */
export const Permissions = z
  .object(permissionsOf(() => yesOrNo))
  .meta({ id: 'Permissions', examples: [toPermissionMap(['RUN_API', 'API_SCOPE_KEY_FULL'])] });

export const scopeName = displayName
  .describe('The name of the scope. It is unique in its app; case is ignored.')
  .meta({ examples: ['backend'] });
export const description = z
  .string()
  .trim()
  .max(1000)
  .meta({ examples: ['Our own servers'] });

export const ScopeView = z
  .object({
    scope_id: id('scope'),
    scope_name: scopeName,
    description,
    created_at: timestamp,
    permissions: Permissions,
  })
  .meta({ id: 'Scope' });

export const OneScopeView = z.object({ scope: ScopeView }).meta({ id: 'OneScope' });

export const UpdateScope = z
  .strictObject({ permissions: PermissionChanges })
  .meta({ id: 'UpdateScope', examples: [{ permissions: { RUN_API: 'YES', SESSIONS_LIST: 'YES' } }] });
export type UpdateScope = z.infer<typeof UpdateScope>;

export function toScopeView(scope: Scope): z.infer<typeof ScopeView> {
  return {
    scope_id: scope.id,
    scope_name: scope.name,
    description: scope.description,
    created_at: scope.createdAt.toISOString(),
    permissions: toPermissionMap(scope.granted),
  };
}

export function toOneScopeView(scope: Scope): z.infer<typeof OneScopeView> {
  return { scope: toScopeView(scope) };
}
