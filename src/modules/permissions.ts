import { addPermissions } from '../kernel/permissions.js';
import { tenancyPermissions } from './tenancy/tenancy.permissions.js';
import { agentsPermissions } from './agents/agents.permissions.js';
import { accessPermissions } from './access/access.permissions.js';
import { gatewayPermissions } from './gateway/gateway.permissions.js';
import { sessionsPermissions } from './sessions/sessions.permissions.js';
import { ledgerPermissions } from './ledger/ledger.permissions.js';
import { connectionsPermissions } from './connections/connections.permissions.js';
import { webhooksPermissions } from './webhooks/webhooks.permissions.js';
import { dockPermissions } from './dock/dock.permissions.js';

/** The permissions of all modules, in the order in which they are listed. A module with permissions has a line here. */
const OF_MODULES = [
  tenancyPermissions,
  agentsPermissions,
  accessPermissions,
  gatewayPermissions,
  sessionsPermissions,
  ledgerPermissions,
  connectionsPermissions,
  webhooksPermissions,
  dockPermissions,
] as const;

type NamesOf<Permissions> = Permissions extends unknown ? keyof Permissions : never;

declare module '../kernel/permissions.js' {
  // eslint-disable-next-line @typescript-eslint/no-empty-object-type -- Declaration merging needs an interface.
  interface ModulePermissions extends Record<NamesOf<(typeof OF_MODULES)[number]>, true> {}
}

for (const permissions of OF_MODULES) addPermissions(permissions);

/** Files that read the permissions while they are loaded import them from here, so that those of the modules are there. */
export { PERMISSION_NAMES, PERMISSIONS } from '../kernel/permissions.js';
