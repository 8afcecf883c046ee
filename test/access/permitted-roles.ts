import type { AdminRole } from '../../src/kernel/roles.js';
import type { RouteDescription } from '../../src/platform/route/route-description.js';

const ADMIN = '/api/admin/v1';
export const ADMIN_KEYS = `${ADMIN}/admin-keys`;
export const CONSOLE_SESSIONS = `${ADMIN}/console-sessions`;
/** Signing out others is for owners, and the handler knows who the others are. */
export const SIGN_OUT = `DELETE ${CONSOLE_SESSIONS}/{consoleSessionId}`;

/** The routes that do not follow from their method, as docs/access.md lists them. */
const OWNERS = [
  `POST ${ADMIN_KEYS}`,
  `PATCH ${ADMIN_KEYS}/{adminKeyId}`,
  `DELETE ${ADMIN_KEYS}/{adminKeyId}`,
  `POST ${ADMIN}/master-keys/rewrap`,
];
const AUDITORS = [`GET ${ADMIN}/audit`, `GET ${ADMIN}/audit/{auditId}`];
const EVERYBODYS = [`POST ${CONSOLE_SESSIONS}`, SIGN_OUT];

/** The roles that may use a route, the weakest one first. */
export function permittedRoles(name: string): AdminRole[] {
  if (OWNERS.includes(name)) return ['owner'];
  if (AUDITORS.includes(name)) return ['auditor', 'owner'];
  if (EVERYBODYS.includes(name) || name.startsWith('GET ')) return ['viewer', 'auditor', 'operator', 'owner'];
  return ['operator', 'owner'];
}

const OF_INSTALLATION = /^\w+ \/api\/admin\/v1\/(admin-keys|jobs|processes|master-keys)\b/;
const ALSO_OF_INSTALLATION = [
  `POST ${ADMIN}/projects`,
  `DELETE ${ADMIN}/projects/{projectId}`,
  `GET ${CONSOLE_SESSIONS}`,
];
const OF_ANY_PROJECT = [
  `GET ${ADMIN}/projects`,
  `GET ${ADMIN}/apps`,
  `GET ${ADMIN}/problems`,
  `GET ${ADMIN}/ledger-summary`,
  `GET ${ADMIN}/llm-ledger/summary`,
  `GET ${ADMIN}/llm-ledger/latency`,
  `GET ${ADMIN}/permissions`,
  `GET ${ADMIN}/connection-protocols`,
  ...EVERYBODYS,
];

/** Where an administrator needs the right, as docs/access.md lists it. */
export function placeOfRight(name: string): RouteDescription['rightIn'] {
  if (OF_INSTALLATION.test(name) || ALSO_OF_INSTALLATION.includes(name)) return 'installation';
  return OF_ANY_PROJECT.includes(name) ? 'anyProject' : 'project';
}
