import type { PluginPermissions } from './plugin-types.js';

export interface PermissionSpec {
  /** The actions that the permission allows, as a sentence for people. */
  readonly allows: string;
  readonly implies?: readonly string[];
}

/** The permissions of Slipway. `implies` is applied when a permission is checked and never stored. */
const OF_SLIPWAY = {
  APP_VIEW: { allows: 'See the app.' },
  APP_EDIT: { allows: 'Change the app.', implies: ['APP_VIEW'] },
  APP_FULL: { allows: 'Do everything with the app.', implies: ['APP_EDIT', 'DOCK_MANAGE'] },
  AGENTS_VIEW: { allows: 'See agents.' },
  AGENTS_EDIT: { allows: 'Change agents.', implies: ['AGENTS_VIEW'] },
  AGENTS_FULL: { allows: 'Do everything with agents.', implies: ['AGENTS_EDIT'] },
  API_SCOPE_KEY_VIEW: { allows: 'See scopes and keys.' },
  API_SCOPE_KEY_EDIT: { allows: 'Change scopes and keys.', implies: ['API_SCOPE_KEY_VIEW'] },
  API_SCOPE_KEY_FULL: {
    allows: 'Read and change scopes, and create, rotate and revoke API keys.',
    implies: ['API_SCOPE_KEY_EDIT'],
  },
  RUN_API: { allows: 'Run agents, execute tools and call models.' },
  SESSION_CREATION: { allows: 'Create sessions.' },
  DOCUMENT_UPLOAD: { allows: 'Attach files to sessions.' },
  SESSION_TERMINATION: { allows: 'Terminate sessions.' },
  SESSIONS_LIST: { allows: 'List sessions and read their details and traces, and search the traces of the app.' },
  'analytics:read': { allows: 'Read the LLM ledger of the project.' },
  'analytics:write': { allows: 'Write to the LLM ledger and to traces of the project.' },
  CONNECTIONS_VIEW: { allows: 'See model connections; their secrets stay masked.' },
  CONNECTIONS_MANAGE: { allows: 'Create and change model connections.', implies: ['CONNECTIONS_VIEW'] },
  HTTP_ASYNC_SEND: { allows: 'Send messages to agents over the webhook channel.' },
  DOCK_MANAGE: {
    allows: 'Change, deploy, undeploy and export tools and models that another scope or an administrator made.',
  },
} as const satisfies Record<string, PermissionSpec>;

export type Permission = keyof (typeof OF_SLIPWAY & PluginPermissions);
export type PermissionMap = Record<Permission, 'YES' | 'NO'>;

/** All permissions: those of Slipway, and then those of the plugins. */
export const PERMISSIONS: Record<Permission, PermissionSpec> = { ...OF_SLIPWAY };

export const PERMISSION_NAMES = Object.keys(PERMISSIONS) as [Permission, ...Permission[]];

/** Adds the permissions of a plugin. They are checked before, and added before any module is loaded. */
export function addPermissions(permissions: Record<string, PermissionSpec>): void {
  Object.assign(PERMISSIONS, permissions);
  PERMISSION_NAMES.push(...(Object.keys(permissions) as Permission[]));
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
