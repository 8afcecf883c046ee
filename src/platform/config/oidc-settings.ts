import { z } from 'zod';
import { isId } from '../../kernel/ids.js';
import { ADMIN_ROLES, type AdminRole } from '../../kernel/roles.js';

/** A group, and the role that its members have in a project or, if that is null, in the whole installation. */
export interface RoleOfGroup {
  readonly group: string;
  readonly role: AdminRole;
  readonly projectId: string | null;
}

/** Groups with their roles, separated by commas. A group may contain `=`, and no comma. */
const rolesOfGroups = z
  .string()
  .transform((text, context) => text.split(',').map((entry) => roleOfGroup(entry, context)));

function roleOfGroup(entry: string, context: z.RefinementCtx): RoleOfGroup {
  const at = entry.lastIndexOf('=');
  const group = entry.slice(0, Math.max(at, 0)).trim();
  const [role = '', ...rest] = entry
    .slice(at + 1)
    .trim()
    .split('@');
  const projectId = rest.length === 0 ? null : rest.join('@');
  if (!group) context.addIssue('must be groups and roles, such as platform-team=operator,auditors=auditor');
  else if (!isRole(role))
    context.addIssue(`gives ${group} no role that exists. The roles are ${ADMIN_ROLES.join(', ')}`);
  else if (projectId !== null && !isId('project', projectId))
    context.addIssue(`gives ${group} a role in a project, and ${projectId} is not the id of a project`);
  return { group, role: role as AdminRole, projectId };
}

function isRole(text: string): text is AdminRole {
  return ADMIN_ROLES.some((role) => role === text);
}

/** The OpenID Connect provider at which administrators sign in to the console. */
export const oidcSettings = {
  CONSOLE_OIDC_ISSUER: z
    .url({ protocol: /^https?$/, error: 'must be an http:// or https:// address' })
    .optional()
    .meta({ needs: ['CONSOLE_OIDC_CLIENT_ID', 'CONSOLE_OIDC_CLIENT_SECRET', 'CONSOLE_OIDC_ROLES'] })
    .describe(
      'Issuer of the OpenID Connect provider at which administrators sign in to the console, such as `https://login.example.com`. Without it they sign in with keys alone. Requests to it obey OUTBOUND_ALLOW_CIDRS.',
    ),
  CONSOLE_OIDC_CLIENT_ID: z
    .string()
    .min(1)
    .max(512)
    .optional()
    .describe('Client id of the console at that provider. CONSOLE_OIDC_ISSUER needs it.'),
  CONSOLE_OIDC_CLIENT_SECRET: z
    .string()
    .min(1)
    .max(8_192)
    .optional()
    .describe('Secret of that client. CONSOLE_OIDC_ISSUER needs it.'),
  CONSOLE_OIDC_SCOPES: z
    .string()
    .min(1)
    .max(2_048)
    .refine((text) => text.split(' ').includes('openid'), 'must contain openid')
    .default('openid profile email')
    .describe('Scopes that the sign-in requests, separated by spaces.'),
  CONSOLE_OIDC_GROUPS_CLAIM: z
    .string()
    .min(1)
    .max(256)
    .default('groups')
    .describe('Claim with the groups of a person, in the id token or else at the userinfo endpoint.'),
  CONSOLE_OIDC_ROLES: rolesOfGroups
    .optional()
    .describe(
      'Role that each group gives, such as `platform-team=operator,auditors=auditor`. With `shop-team=operator@p-…`, the role is for that project alone. A group cannot contain a comma. The strongest role of a person counts, and a person without one cannot sign in. CONSOLE_OIDC_ISSUER needs it.',
    ),
};
