import { z } from 'zod';
import { exampleId } from '../../kernel/ids.js';
import { PERMISSION_NAMES, type Permission, type PermissionMap, toPermissionMap } from '../../kernel/permissions.js';
import { apiKeyName, CREATED_AT, expiry, graceSeconds, PermissionChanges, scopeName } from './access.schema.js';
import type { AdminKey } from './admin-key.entity.js';
import type { ApiKey } from './api-key.entity.js';
import type { NewKey } from './api-keys.service.js';
import type { Scope } from './scope.entity.js';

const description = z.string().trim().max(1000);

const ceiling = PermissionChanges.nullable().describe(
  'How far keys may raise the scope: the permissions set to YES and what they imply. null is without bound.',
);

export const CreateScopeBody = z
  .strictObject({
    scopeName,
    description: description.default(''),
    permissions: PermissionChanges,
    ceiling: ceiling.default(null),
  })
  .meta({
    id: 'CreateScope',
    examples: [{ scopeName: 'backend', description: 'Our own servers', permissions: { RUN_API: 'YES' } }],
  });

export const ChangeScopeBody = z
  .strictObject({
    scopeName: scopeName.optional(),
    description: description.optional(),
    permissions: PermissionChanges.optional(),
    ceiling: ceiling.optional(),
  })
  .meta({ id: 'ChangeScope', examples: [{ permissions: { RUN_API: 'YES' }, ceiling: { RUN_API: 'YES' } }] });

export const AdminScopeView = z
  .object({
    scopeId: z.string(),
    appId: z.string(),
    scopeName: z.string(),
    description: z.string(),
    permissions: z.record(z.string(), z.enum(['YES', 'NO'])),
    ceiling: z.record(z.string(), z.enum(['YES', 'NO'])).nullable(),
    createdAt: z.iso.datetime(),
  })
  .meta({
    id: 'AdminScope',
    examples: [
      {
        scopeId: exampleId('scope'),
        appId: exampleId('app'),
        scopeName: 'backend',
        description: 'Our own servers',
        permissions: toPermissionMap(['RUN_API']),
        ceiling: null,
        createdAt: CREATED_AT,
      },
    ],
  });

export const AdminCreateKeyBody = z
  .strictObject({ scopeName: scopeName.describe('A scope of the app.'), apiKeyName, expiresAt: expiry.optional() })
  .meta({ id: 'AdminCreateKey', examples: [{ scopeName: 'backend', apiKeyName: 'server-1' }] });

export const ChangeKeyBody = z
  .strictObject({ apiKeyName: apiKeyName.optional(), expiresAt: expiry.nullable().optional() })
  .meta({ id: 'ChangeKey', examples: [{ apiKeyName: 'server-2', expiresAt: '2027-11-21T00:00:00Z' }] });

export const AdminRotateKeyBody = z
  .strictObject({ graceSeconds })
  .prefault({})
  .meta({ id: 'AdminRotateKey', examples: [{ graceSeconds: 3600 }] });

const keyExample = {
  keyId: exampleId('apiKey'),
  apiKeyName: 'server-1',
  scopeId: exampleId('scope'),
  scopeName: 'backend',
  maskedKey: 'sw_********3fPq',
  createdAt: CREATED_AT,
  lastUsedAt: null,
  expiresAt: null,
};

export const AdminKeyRow = z
  .object({
    keyId: z.string(),
    apiKeyName: z.string(),
    scopeId: z.string(),
    scopeName: z.string(),
    maskedKey: z.string(),
    createdAt: z.iso.datetime(),
    lastUsedAt: z.iso.datetime().nullable().describe('To the minute.'),
    expiresAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'AdminApiKey', examples: [keyExample] });

export const AdminNewKeyView = AdminKeyRow.extend({
  apikey: z.string().describe('The key itself. It is shown this once.'),
}).meta({
  id: 'AdminNewApiKey',
  examples: [{ ...keyExample, apikey: 'sw_0VJ8kQ2xT4bN7mRw1ZcYp30VJ8kQ2xT4bN7mRw1ZcYp3aB3fPq' }],
});

export const AdministrationKeyBody = z
  .strictObject({ name: apiKeyName.describe('Who holds it: the records name it.') })
  .meta({ id: 'CreateAdministrationKey', examples: [{ name: 'ada' }] });

const administrationKeyExample = { adminKeyId: exampleId('adminKey'), name: 'ada', createdAt: CREATED_AT };

export const AdministrationKeyView = z
  .object({ adminKeyId: z.string(), name: z.string(), createdAt: z.iso.datetime() })
  .meta({ id: 'AdministrationKey', examples: [administrationKeyExample] });

export const NewAdministrationKeyView = AdministrationKeyView.extend({
  adminKey: z.string().describe('The key itself. It is shown this once.'),
}).meta({
  id: 'NewAdministrationKey',
  examples: [{ ...administrationKeyExample, adminKey: 'swa_0VJ8kQ2xT4bN7mRw1ZcYp30VJ8kQ2xT4bN7mRw1ZcYp3aB3fPq' }],
});

/** A ceiling as the body has it, as the scope keeps it. */
export function toCeiling(map: Partial<PermissionMap> | null): Permission[] | null {
  return map && PERMISSION_NAMES.filter((name) => map[name] === 'YES');
}

export function toAdminScopeView(scope: Scope): z.infer<typeof AdminScopeView> {
  return {
    scopeId: scope.id,
    appId: scope.app.id,
    scopeName: scope.name,
    description: scope.description,
    permissions: toPermissionMap(scope.granted),
    ceiling: scope.ceiling && toPermissionMap(scope.ceiling),
    createdAt: scope.createdAt.toISOString(),
  };
}

export function toAdminKeyRow(key: ApiKey): z.infer<typeof AdminKeyRow> {
  return {
    keyId: key.id,
    apiKeyName: key.name,
    scopeId: key.scope.id,
    scopeName: key.scope.name,
    maskedKey: key.hint,
    createdAt: key.createdAt.toISOString(),
    lastUsedAt: key.use?.lastUsedAt.toISOString() ?? null,
    expiresAt: key.expiresAt?.toISOString() ?? null,
  };
}

export function toAdminNewKeyView({ key, value }: NewKey): z.infer<typeof AdminNewKeyView> {
  return { ...toAdminKeyRow(key), apikey: value };
}

export function toAdministrationKeyView(key: AdminKey): z.infer<typeof AdministrationKeyView> {
  return { adminKeyId: key.id, name: key.name, createdAt: key.createdAt.toISOString() };
}
