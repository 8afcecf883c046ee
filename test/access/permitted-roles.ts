import type { AdminRole } from '../../src/kernel/roles.js';

export const ADMIN_KEYS = '/api/admin/v1/admin-keys';
export const CONSOLE_SESSIONS = '/api/admin/v1/console-sessions';

/** The routes that do not follow from their method, as docs/access.md lists them. */
const OWNERS = [
  `POST ${ADMIN_KEYS}`,
  `PATCH ${ADMIN_KEYS}/{adminKeyId}`,
  `DELETE ${ADMIN_KEYS}/{adminKeyId}`,
  'POST /api/admin/v1/master-keys/rewrap',
  // The sample is the session of an owner. A test below ends others.
  `DELETE ${CONSOLE_SESSIONS}/{consoleSessionId}`,
];
const AUDITORS = ['GET /api/admin/v1/audit', 'GET /api/admin/v1/audit/{auditId}'];
const EVERYBODYS = [`POST ${CONSOLE_SESSIONS}`];

/** The roles that may use a route, the weakest one first. */
export function permittedRoles(name: string): AdminRole[] {
  if (OWNERS.includes(name)) return ['owner'];
  if (AUDITORS.includes(name)) return ['auditor', 'owner'];
  if (EVERYBODYS.includes(name) || name.startsWith('GET ')) return ['viewer', 'auditor', 'operator', 'owner'];
  return ['operator', 'owner'];
}
