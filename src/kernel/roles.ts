/** Every administrator has one of these roles. */
export const ADMIN_ROLES = ['owner', 'operator', 'auditor', 'viewer'] as const;
export type AdminRole = (typeof ADMIN_ROLES)[number];

/** A route needs one of these rights of an administrator. */
export type AdminRight = 'read' | 'readAudit' | 'change' | 'administer';

const RIGHTS: Readonly<Record<AdminRole, readonly AdminRight[]>> = {
  owner: ['read', 'readAudit', 'change', 'administer'],
  operator: ['read', 'change'],
  auditor: ['read', 'readAudit'],
  viewer: ['read'],
};

export function hasRight(role: AdminRole, right: AdminRight): boolean {
  return RIGHTS[role].includes(right);
}

/** Lists the roles with the right for a sentence: `owner or operator`. */
export function rolesWith(right: AdminRight): string {
  return ADMIN_ROLES.filter((role) => hasRight(role, right)).join(' or ');
}
