import { z } from 'zod';
import { clock } from '../../kernel/clock.js';
import { exampleId } from '../../kernel/ids.js';
import { name } from '../../kernel/name.js';
import { PERMISSION_NAMES, PERMISSIONS, type Permission, toPermissionMap } from '../../kernel/permissions.js';
import type { KeyActor } from '../../platform/auth/actor.js';
import type { NewKey } from './api-keys.service.js';
import type { Scope } from './scope.entity.js';

export const CREATED_AT = '2026-11-21T09:30:00.000Z';
const KEY = 'sw_0VJ8kQ2xT4bN7mRw1ZcYp30VJ8kQ2xT4bN7mRw1ZcYp3aB3fPq';

export const scopeName = name;
export const apiKeyName = name.describe('Unique in its scope; case makes no difference.');

export const expiry = z.iso
  .datetime({ offset: true })
  .refine((text) => new Date(text) > clock.now(), 'lies in the past')
  .describe('Afterwards the key opens nothing.');

const answer = z.enum(['YES', 'NO']);

/** Some permissions, each YES or NO. */
export const PermissionChanges = z
  .strictObject(
    Object.fromEntries(
      PERMISSION_NAMES.map((permission) => [permission, answer.optional().describe(PERMISSIONS[permission].allows)]),
    ) as Record<Permission, z.ZodOptional<typeof answer>>,
  )
  .meta({ id: 'PermissionChanges', examples: [{ RUN_API: 'YES', SESSIONS_LIST: 'NO' }] });

const PermissionsView = z
  .object(
    Object.fromEntries(PERMISSION_NAMES.map((permission) => [permission, answer])) as Record<Permission, typeof answer>,
  )
  .meta({ id: 'Permissions', examples: [toPermissionMap(['RUN_API', 'API_SCOPE_KEY_FULL'])] });

export const ScopeView = z
  .object({
    scope_id: z.string(),
    scope_name: z.string(),
    description: z.string(),
    created_at: z.iso.datetime(),
    permissions: PermissionsView,
  })
  .meta({
    id: 'Scope',
    examples: [
      {
        scope_id: exampleId('scope'),
        scope_name: 'backend',
        description: 'Our own servers',
        created_at: CREATED_AT,
        permissions: toPermissionMap(['RUN_API', 'API_SCOPE_KEY_FULL']),
      },
    ],
  });

export const CreateKeyBody = z
  .strictObject({
    scope_name: scopeName.describe('A scope of the app.'),
    api_key_name: apiKeyName,
    expires_at: expiry.optional(),
  })
  .meta({ id: 'CreateKey', examples: [{ scope_name: 'backend', api_key_name: 'server-1' }] });

export const UpdateScopeBody = z
  .strictObject({ permissions: PermissionChanges })
  .meta({ id: 'UpdateScope', examples: [{ permissions: { RUN_API: 'YES', SESSIONS_LIST: 'NO' } }] });

/** Thirty days: long enough to change a value wherever it is used. */
const MAX_GRACE_SECONDS = 30 * 24 * 3600;
export const graceSeconds = z
  .int()
  .min(0)
  .max(MAX_GRACE_SECONDS)
  .default(0)
  .describe('How long the value before goes on working beside the new one.');

export const RotateKeyBody = z
  .strictObject({ grace_seconds: graceSeconds })
  .prefault({})
  .meta({ id: 'RotateKey', examples: [{ grace_seconds: 3600 }] });

export const NewKeyView = z
  .object({
    api_key: z
      .object({
        apikey: z.string().describe('The key itself. It is shown this once.'),
        key_id: z.string(),
        key_name: z.string(),
        scope_name: z.string(),
      })
      .meta({ examples: [{ apikey: KEY, key_id: exampleId('apiKey'), key_name: 'server-1', scope_name: 'backend' }] }),
    scope: ScopeView,
  })
  .meta({ id: 'NewKey' });

export const RevokedView = z
  .object({
    revoked: z
      .object({ key_id: z.string(), status: z.literal('revoked') })
      .meta({ examples: [{ key_id: exampleId('apiKey'), status: 'revoked' }] }),
  })
  .meta({ id: 'RevokedKey' });

export const OneScopeView = z.object({ scope: ScopeView }).meta({ id: 'OneScope' });

export const MeView = z
  .object({
    key_id: z.string(),
    key_name: z.string(),
    expires_at: z.iso.datetime().nullable(),
    project_id: z.string(),
    app_id: z.string(),
    scope_id: z.string(),
    permissions: PermissionsView,
    allowed: z.array(z.enum(PERMISSION_NAMES)).describe('What the permissions come to, implied ones too.'),
  })
  .meta({
    id: 'Me',
    examples: [
      {
        key_id: exampleId('apiKey'),
        key_name: 'server-1',
        expires_at: null,
        project_id: exampleId('project'),
        app_id: exampleId('app'),
        scope_id: exampleId('scope'),
        permissions: toPermissionMap(['CONNECTIONS_MANAGE']),
        allowed: ['CONNECTIONS_VIEW', 'CONNECTIONS_MANAGE'],
      },
    ],
  });

export function toScopeView(scope: Scope): z.infer<typeof ScopeView> {
  return {
    scope_id: scope.id,
    scope_name: scope.name,
    description: scope.description,
    created_at: scope.createdAt.toISOString(),
    permissions: toPermissionMap(scope.granted),
  };
}

export function toNewKeyView({ key, value }: NewKey): z.infer<typeof NewKeyView> {
  return {
    api_key: { apikey: value, key_id: key.id, key_name: key.name, scope_name: key.scope.name },
    scope: toScopeView(key.scope),
  };
}

export function toMeView(actor: KeyActor): z.infer<typeof MeView> {
  return {
    key_id: actor.keyId,
    key_name: actor.keyName,
    expires_at: actor.expiresAt?.toISOString() ?? null,
    project_id: actor.projectId,
    app_id: actor.appId,
    scope_id: actor.scopeId,
    permissions: toPermissionMap(actor.granted),
    allowed: PERMISSION_NAMES.filter((permission) => actor.effective.has(permission)),
  };
}
