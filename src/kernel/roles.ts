/** The roles of administrators. */
export const ADMIN_ROLES = ['owner', 'operator', 'auditor', 'viewer'] as const;
export type AdminRole = (typeof ADMIN_ROLES)[number];

/** A route needs one of these rights of an administrator. */
export type AdminRight = 'read' | 'readAudit' | 'change' | 'administer';

/** An administrator has a role in the whole installation, roles in single projects, or both. */
export interface HeldRoles {
  readonly role: AdminRole | null;
  /** The roles in single projects, by the ids of the projects. */
  readonly projectRoles: ReadonlyMap<string, AdminRole>;
}

const ANY_OF = new Intl.ListFormat('en-GB', { type: 'disjunction' });

const RIGHTS: Readonly<Record<AdminRole, readonly AdminRight[]>> = {
  owner: ['read', 'readAudit', 'change', 'administer'],
  operator: ['read', 'change'],
  auditor: ['read', 'readAudit'],
  viewer: ['read'],
};

export function roleInInstallation(role: AdminRole): HeldRoles {
  return { role, projectRoles: new Map() };
}

/** Whether a role gives the right: the one in the whole installation, or the one in the project that is given. */
export function hasRight({ role, projectRoles }: HeldRoles, right: AdminRight, projectId?: string): boolean {
  const inProject = projectId === undefined ? undefined : projectRoles.get(projectId);
  return givesRight(role, right) || givesRight(inProject, right);
}

export function hasRightInAnyProject({ role, projectRoles }: HeldRoles, right: AdminRight): boolean {
  return [role, ...projectRoles.values()].some((each) => givesRight(each, right));
}

/** Returns the ids of the projects that the administrator sees, or null for all. */
export function visibleProjects<ProjectId extends string>({ role, projectRoles }: HeldRoles): ProjectId[] | null {
  return role === null ? ([...projectRoles.keys()] as ProjectId[]) : null;
}

/** Lists the roles with the right for a sentence: `owner or operator`. */
export function rolesWith(right: AdminRight): string {
  return ANY_OF.format(ADMIN_ROLES.filter((role) => givesRight(role, right)));
}

function givesRight(role: AdminRole | null | undefined, right: AdminRight): boolean {
  return role ? RIGHTS[role].includes(right) : false;
}
