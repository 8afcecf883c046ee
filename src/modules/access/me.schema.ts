import { z } from 'zod';
import type { KeyActor } from '../../kernel/actor.js';
import { toPermissionMap } from '../../kernel/permissions.js';
import { id, timestamp } from '../../kernel/schema.js';
import { PERMISSION_NAMES } from '../permissions.js';
import { apiKeyName } from './api-keys.schema.js';
import { Permissions } from './scopes.schema.js';

export const MeView = z
  .object({
    key_id: id('apiKey'),
    key_name: apiKeyName,
    expires_at: timestamp.nullable(),
    project_id: id('project'),
    app_id: id('app'),
    scope_id: id('scope'),
    permissions: Permissions,
    allowed: z
      .array(z.enum(PERMISSION_NAMES))
      .describe('The permissions of the key, including those that are implied.'),
  })
  .meta({ id: 'Me' });

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
