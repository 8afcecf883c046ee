import { z } from 'zod';
import { id, timestamp } from '../../kernel/schema.js';
import type { ApiKey } from './api-key.entity.js';
import { apiKeyName, expiry, graceSeconds, keyValue } from './api-keys.schema.js';
import type { NewKey } from './api-keys.service.js';
import { scopeName } from './scopes.schema.js';

export const AdminCreateApiKey = z
  .strictObject({
    scopeName: scopeName.describe('The name of a scope of the app.'),
    apiKeyName,
    expiresAt: expiry.nullable().default(null),
  })
  .meta({ id: 'AdminCreateApiKey', examples: [{ scopeName: 'demo', apiKeyName: 'server-1' }] });
export type AdminCreateApiKey = z.infer<typeof AdminCreateApiKey>;

export const AdminChangeApiKey = z
  .strictObject({ apiKeyName: apiKeyName.optional(), expiresAt: expiry.nullable().optional() })
  .meta({ id: 'AdminChangeApiKey', examples: [{ apiKeyName: 'server-2', expiresAt: '2027-11-21T00:00:00Z' }] });
export type AdminChangeApiKey = z.infer<typeof AdminChangeApiKey>;

export const AdminRotateApiKey = z
  .strictObject({ graceSeconds })
  .prefault({})
  .meta({ id: 'AdminRotateApiKey', examples: [{ graceSeconds: 3600 }] });
export type AdminRotateApiKey = z.infer<typeof AdminRotateApiKey>;

export const AdminApiKeyView = z
  .object({
    keyId: id('apiKey'),
    apiKeyName,
    scopeId: id('scope'),
    scopeName,
    maskedKey: z.string().meta({ examples: ['sw_********3fPq'] }),
    createdAt: timestamp,
    lastUsedAt: timestamp.nullable().describe('The time at which the key was used last, exact to the minute.'),
    expiresAt: timestamp.nullable(),
  })
  .meta({ id: 'AdminApiKey' });

export const AdminNewApiKeyView = AdminApiKeyView.extend({ apikey: keyValue }).meta({ id: 'AdminNewApiKey' });

export const AdminApiKeyGone = z.object({ keyId: id('apiKey') }).meta({ id: 'AdminApiKeyGone' });

export function toAdminApiKeyView(key: ApiKey): z.infer<typeof AdminApiKeyView> {
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

export function toAdminNewApiKeyView({ key, value }: NewKey): z.infer<typeof AdminNewApiKeyView> {
  return { ...toAdminApiKeyView(key), apikey: value };
}
