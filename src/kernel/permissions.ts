import type { PluginPermissions } from './plugin-types.js';
import { StartError } from './start-error.js';

export interface PermissionSpec {
  /** The actions that the permission allows, as a sentence for people. */
  readonly allows: string;
  /** The permissions that this one includes. They are applied when a permission is checked, and never stored. */
  readonly implies?: readonly string[];
}

/** Returns the permissions unchanged. `src/modules/permissions.ts` lists those of all modules. */
export function definePermissions<const Specs extends Record<string, PermissionSpec>>(specs: Specs): Specs {
  return specs;
}

/** The names of the permissions of all modules. The list of the modules adds its members by declaration merging. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- Declaration merging needs an interface.
export interface ModulePermissions {}

export type Permission = keyof (ModulePermissions & PluginPermissions);
export type PermissionMap = Record<Permission, 'YES' | 'NO'>;

const WITHOUT_PERMISSION = ['anyKey', 'administration', 'jwtClient', 'public'] as const;

/**
 * The credential that a route demands: a key with this permission, any key of the project, an administration key, or a
 * token of a JWT client. A public route demands none.
 */
export type Access = Permission | (typeof WITHOUT_PERMISSION)[number];

/** Whether this is a permission that a scope can have, or another credential that a route can demand. */
export function isAccess(name: string): boolean {
  return Object.hasOwn(PERMISSIONS, name) || (WITHOUT_PERMISSION as readonly string[]).includes(name);
}

/** All permissions: those of the modules, and then those of the plugins. */
export const PERMISSIONS = {} as Record<Permission, PermissionSpec>;

export const PERMISSION_NAMES = [] as unknown as [Permission, ...Permission[]];

/** Adds the permissions of the modules or of a plugin, before any schema that lists permissions is loaded. */
export function addPermissions(permissions: Readonly<Record<string, PermissionSpec>>): void {
  for (const [name, spec] of Object.entries(permissions) as [Permission, PermissionSpec][]) {
    if (name in PERMISSIONS) throw new StartError(`The permission ${name} is defined twice. Rename one of them.`);
    PERMISSIONS[name] = spec;
    PERMISSION_NAMES.push(name);
  }
}

/** Returns the permissions in effect: the granted ones and all that they imply. */
export function withImplied(granted: Iterable<Permission>): Set<Permission> {
  const effective = new Set<Permission>();
  // The loop also visits what is added to the set meanwhile.
  const found = new Set(granted);
  for (const name of found) {
    // A process of a newer release may have granted a permission that this one does not know.
    const spec: PermissionSpec | undefined = PERMISSIONS[name];
    if (!spec) continue;
    effective.add(name);
    for (const implied of spec.implies ?? []) found.add(implied as Permission);
  }
  return effective;
}

/** Whether a scope may only send messages. Its keys open the message route and nothing else. */
export function isChannelOnly(granted: readonly Permission[]): boolean {
  return granted.length === 1 && granted[0] === 'HTTP_ASYNC_SEND';
}

export function toPermissionMap(granted: readonly Permission[]): PermissionMap {
  const entries = PERMISSION_NAMES.map((name) => [name, granted.includes(name) ? 'YES' : 'NO']);
  return Object.fromEntries(entries) as PermissionMap;
}
