import { z } from 'zod';
import { type Permission, type PermissionMap, toPermissionMap } from '../../kernel/permissions.js';
import { id, timestamp } from '../../kernel/schema.js';
import { PERMISSION_NAMES, PERMISSIONS } from '../permissions.js';
import type { Scope } from './scope.entity.js';
import { description, PermissionChanges, Permissions, scopeName } from './scopes.schema.js';

const ceiling = PermissionChanges.nullable()
  .transform(toCeiling)
  .describe(
    'The limit up to which keys may raise the permissions of the scope: the permissions that are YES, and those that they imply. `null` sets no limit.',
  );

export const CreateScope = z
  .strictObject({
    scopeName,
    description: description.default(''),
    permissions: PermissionChanges,
    ceiling: ceiling.default(null),
  })
  .meta({
    id: 'CreateScope',
    examples: [{ scopeName: 'backend', description: 'Our own servers', permissions: { RUN_API: 'YES' } }],
  });
export type CreateScope = z.infer<typeof CreateScope>;

export const ChangeScope = z
  .strictObject({
    scopeName: scopeName.optional(),
    description: description.optional(),
    permissions: PermissionChanges.optional(),
    ceiling: ceiling.optional(),
  })
  .meta({ id: 'ChangeScope', examples: [{ description: 'Our own servers', permissions: { RUN_API: 'YES' } }] });
export type ChangeScope = z.infer<typeof ChangeScope>;

export const AdminScopeView = z
  .object({
    scopeId: id('scope'),
    appId: id('app'),
    scopeName,
    description,
    permissions: Permissions,
    ceiling: Permissions.nullable(),
    createdAt: timestamp,
  })
  .meta({ id: 'AdminScope' });

export const PermissionView = z
  .object({
    name: z.string().meta({ examples: ['CONNECTIONS_MANAGE'] }),
    allows: z.string().meta({ examples: [PERMISSIONS.CONNECTIONS_MANAGE.allows] }),
    implies: z
      .array(z.string())
      .describe('The permissions that a scope with this one has, too.')
      .meta({ examples: [['CONNECTIONS_VIEW']] }),
  })
  .meta({ id: 'Permission' });

export const ScopeGone = z.object({ scopeId: id('scope') }).meta({ id: 'ScopeGone' });

export function toAdminScopeView(scope: Scope): z.infer<typeof AdminScopeView> {
  return {
    scopeId: scope.id,
    appId: scope.app.id,
    scopeName: scope.name,
    description: scope.description,
    permissions: toPermissionMap(scope.granted),
    ceiling: scope.ceiling && toPermissionMap(scope.ceiling),
    createdAt: scope.createdAt.toISOString(),
  };
}

export function toPermissionView(name: Permission): z.infer<typeof PermissionView> {
  const { allows, implies = [] } = PERMISSIONS[name];
  return { name, allows, implies: [...implies] };
}

/** Turns the ceiling of a body into the list of permissions that the scope stores. */
function toCeiling(map: Partial<PermissionMap> | null): Permission[] | null {
  return map && PERMISSION_NAMES.filter((name) => map[name] === 'YES');
}
