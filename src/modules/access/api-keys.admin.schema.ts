import { z } from 'zod';
import { id, timestamp } from '../../kernel/schema.js';
import type { ApiKey } from './api-key.entity.js';
import { apiKeyName, expiry, graceSeconds, keyValue } from './api-keys.schema.js';
import type { NewKey } from './api-keys.service.js';
import { scopeName } from './scopes.schema.js';

export const CreateApiKey = z
  .strictObject({
    scopeName: scopeName.describe('A scope of the app.'),
    apiKeyName,
    expiresAt: expiry.nullable().default(null),
  })
  .meta({ id: 'CreateApiKey', examples: [{ scopeName: 'backend', apiKeyName: 'server-1' }] });
export type CreateApiKey = z.infer<typeof CreateApiKey>;

export const ChangeApiKey = z
  .strictObject({ apiKeyName: apiKeyName.optional(), expiresAt: expiry.nullable().optional() })
  .meta({ id: 'ChangeApiKey', examples: [{ apiKeyName: 'server-2', expiresAt: '2027-11-21T00:00:00Z' }] });
export type ChangeApiKey = z.infer<typeof ChangeApiKey>;

export const RotateApiKey = z
  .strictObject({ graceSeconds })
  .prefault({})
  .meta({ id: 'RotateApiKey', examples: [{ graceSeconds: 3600 }] });
export type RotateApiKey = z.infer<typeof RotateApiKey>;

export const ApiKeyView = z
  .object({
    keyId: id('apiKey'),
    apiKeyName,
    scopeId: id('scope'),
    scopeName,
    maskedKey: z.string().meta({ examples: ['sw_********3fPq'] }),
    createdAt: timestamp,
    lastUsedAt: timestamp.nullable().describe('To the minute.'),
    expiresAt: timestamp.nullable(),
  })
  .meta({ id: 'ApiKey' });

export const NewApiKeyView = ApiKeyView.extend({ apikey: keyValue }).meta({ id: 'NewApiKey' });

export const ApiKeyGone = z.object({ keyId: id('apiKey') }).meta({ id: 'ApiKeyGone' });

export function toApiKeyView(key: ApiKey): z.infer<typeof ApiKeyView> {
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

export function toNewApiKeyView({ key, value }: NewKey): z.infer<typeof NewApiKeyView> {
  return { ...toApiKeyView(key), apikey: value };
}
