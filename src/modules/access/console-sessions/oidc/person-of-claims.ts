import { z } from 'zod';
import { ADMIN_ROLES, type AdminRole } from '../../../../kernel/roles.js';
import { displayName } from '../../../../kernel/schema.js';
import type { KnownPerson } from '../../../../platform/auth/admin-identity.js';
import { accessErrors } from '../../access.errors.js';
import type { OidcRegistration } from './oidc-identity.js';
import type { Claims } from './oidc-provider.js';

const LONGEST_NAME = 128;
/** The specification allows at most 255 characters of ASCII. */
const Subject = z.string().regex(/^[\x20-\x7e]{1,255}$/);
const Groups = z.union([z.string().transform((group) => [group]), z.array(z.unknown())]).catch([]);

/**
 * Makes an administrator of a person's claims: with the strongest role that a group gives in the whole installation, and
 * the strongest one in each project.
 */
export function personOf(claims: Claims, { groupsClaim, roles }: OidcRegistration): KnownPerson {
  const { success, data: subject } = Subject.safeParse(claims.sub);
  if (!success) throw accessErrors.oidcSignInFailed();
  const groups = new Set(Groups.parse(claims[groupsClaim]));
  const given = roles.filter(({ group }) => groups.has(group));
  const weakestFirst = given.toSorted((a, b) => ADMIN_ROLES.indexOf(b.role) - ADMIN_ROLES.indexOf(a.role));
  // Of several roles in one project, the last one stays.
  const projectRoles = new Map<string, AdminRole>();
  for (const { projectId, role } of weakestFirst) if (projectId !== null) projectRoles.set(projectId, role);
  const role = weakestFirst.findLast(({ projectId }) => projectId === null)?.role ?? null;
  return { subject, name: nameIn(claims), role, projectRoles };
}

function nameIn({ email, email_verified: isVerified, preferred_username: userName, name, sub }: Claims): string {
  // Some providers send texts.
  const isUnverified = isVerified === false || isVerified === 'false';
  const candidates = [isUnverified ? undefined : email, userName, name, sub];
  for (const candidate of candidates) {
    const text = typeof candidate === 'string' ? candidate.slice(0, LONGEST_NAME) : undefined;
    const { data } = displayName.safeParse(text);
    if (data !== undefined) return data;
  }
  return sub.slice(0, LONGEST_NAME);
}
