import { z } from 'zod';
import { type AdminActor, actorId as idOfActor } from '../../../kernel/actor.js';
import { exampleId, type Id } from '../../../kernel/ids.js';
import { id, timestamp } from '../../../kernel/schema.js';
import { exampleOf } from '../../../kernel/schema-example.js';
import { shownOnce } from '../../../platform/route/shown-once.js';
import { ADMIN_KEYS } from '../../../platform/auth/admin-key.identity.js';
import { consoleToken } from '../../../platform/auth/console-caller.js';
import type { HeldRoles } from '../../../kernel/roles.js';
import type { KnownConsoleSession } from '../../../platform/auth/console-directory.js';
import { adminRole } from '../admin-keys.admin.schema.js';
import type { ConsoleSession } from './console-session.entity.js';
import type { SignedIn } from './console-sessions.service.js';

const signedInAs = z
  .string()
  .nullable()
  .describe(
    'The name of the person or of the administration key that signed in, or null for the key in SLIPWAY_ADMIN_KEY.',
  )
  .meta({ examples: ['ada'] });

const identity = z
  .string()
  .describe('The identity that knows who signed in: `key`, `oidc`, or that of a plugin.')
  .meta({ examples: [ADMIN_KEYS] });

const actorId = z
  .string()
  .describe(
    'The id of the person or of the key that signed in, as the audit has it. Two people may have the same name.',
  )
  .meta({ examples: [exampleId('adminKey')] });

const RoleInProject = z.object({ projectId: id('project'), role: adminRole }).meta({ id: 'RoleInProject' });

const heldRoles = {
  role: adminRole.nullable().describe('The role in the whole installation. Null if there are roles in projects alone.'),
  projectRoles: z.array(RoleInProject).describe('The roles in single projects.'),
};

const token = z
  .string()
  .describe(
    'The token to send in the header `x-slipway-console` of each request. The cookie is accepted only together with it.',
  )
  .meta({ examples: ['Rk1yQ0Zs0VJ8kQ2xT4bN7mRw1ZcYp3aB3fPqLw9sDfE'] });

export const ConsoleSessionView = z
  .object({
    consoleSessionId: id('consoleSession'),
    name: signedInAs,
    identity,
    ...heldRoles,
    userAgent: z
      .string()
      .describe('The name that the browser sent as its `User-Agent`.')
      .meta({ examples: ['Mozilla/5.0'] }),
    createdAt: timestamp,
    expiresAt: timestamp,
  })
  .meta({ id: 'ConsoleSession' });

export const NewConsoleSessionView = ConsoleSessionView.extend({ actorId, token: shownOnce(token) }).meta({
  id: 'NewConsoleSession',
});

const CurrentConsoleSession = z
  .object({ consoleSessionId: id('consoleSession'), actorId, name: signedInAs, ...heldRoles, token })
  .meta({ id: 'CurrentConsoleSession' });

/** Is null if the browser is not signed in. */
export const ConsoleSessionOfBrowser = CurrentConsoleSession.nullable().meta({
  examples: [exampleOf(CurrentConsoleSession)],
});

export const ConsoleSessionGone = z
  .object({ consoleSessionId: id('consoleSession') })
  .meta({ id: 'ConsoleSessionGone' });

export function toConsoleSessionView(session: ConsoleSession): z.infer<typeof ConsoleSessionView> {
  return {
    consoleSessionId: session.id,
    name: session.name,
    identity: session.knownBy,
    ...toHeldRoles(session.roles),
    userAgent: session.userAgent,
    createdAt: session.createdAt.toISOString(),
    expiresAt: session.expiresAt.toISOString(),
  };
}

export function toNewConsoleSessionView(
  { session, secret }: SignedIn,
  actor: AdminActor,
): z.infer<typeof NewConsoleSessionView> {
  return { ...toConsoleSessionView(session), actorId: idOfActor(actor), token: consoleToken(secret) };
}

export function toCurrentConsoleSession(
  { id: consoleSessionId, actor }: KnownConsoleSession,
  secret: string,
): z.infer<typeof CurrentConsoleSession> {
  const { name } = actor;
  return {
    consoleSessionId,
    actorId: idOfActor(actor),
    name,
    ...toHeldRoles(actor),
    token: consoleToken(secret),
  };
}

function toHeldRoles({ role, projectRoles }: HeldRoles) {
  return {
    role,
    projectRoles: [...projectRoles].map(([projectId, each]) => ({ projectId: projectId as Id<'project'>, role: each })),
  };
}
