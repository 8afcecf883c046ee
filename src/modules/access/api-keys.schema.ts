import { z } from 'zod';
import { clock } from '../../kernel/clock.js';
import { displayName, id, moment, timestamp } from '../../kernel/schema.js';
import { shownOnce } from '../../platform/route/shown-once.js';
import type { NewKey } from './api-keys.service.js';
import { ScopeView, scopeName, toScopeView } from './scopes.schema.js';

const EXAMPLE_KEY = 'sw_0VJ8kQ2xT4bN7mRw1ZcYp30VJ8kQ2xT4bN7mRw1ZcYp3aB3fPq';

export const apiKeyName = displayName
  .describe('The name of the key. It is unique in its scope; case is ignored.')
  .meta({ examples: ['server-1'] });

/** The value of a key. Only the answers to creating and rotating it contain the value. */
export const keyValue = shownOnce(
  z
    .string()
    .describe('The key itself, which is shown only once.')
    .meta({ examples: [EXAMPLE_KEY] }),
);

export const expiry = moment
  .refine((date) => date > clock.now(), 'must be in the future')
  .describe('The time from which the key is no longer valid.')
  .meta({ examples: ['2099-12-31T23:59:59Z'] });

/** Thirty days are long enough to replace a value wherever it is used. */
const MAX_GRACE_SECONDS = 30 * 24 * 3600;
export const graceSeconds = z
  .int()
  .min(0)
  .max(MAX_GRACE_SECONDS)
  .default(0)
  .describe('The seconds for which the previous value remains valid beside the new one.');

export const CreateKey = z
  .strictObject({
    scope_name: scopeName.describe('The name of a scope of the app.'),
    api_key_name: apiKeyName,
    expires_at: expiry.nullable().default(null),
  })
  .meta({ id: 'CreateKey', examples: [{ scope_name: 'demo', api_key_name: 'server-1' }] });
export type CreateKey = z.infer<typeof CreateKey>;

export const RotateKey = z
  .strictObject({ grace_seconds: graceSeconds })
  .prefault({})
  .meta({ id: 'RotateKey', examples: [{ grace_seconds: 3600 }] });
export type RotateKey = z.infer<typeof RotateKey>;

export const NewKeyView = z
  .object({
    api_key: z.object({
      apikey: keyValue,
      key_id: id('apiKey'),
      key_name: apiKeyName,
      scope_name: scopeName,
      expires_at: timestamp
        .nullable()
        .describe('The time from which the key is no longer valid, or null if it does not expire.'),
    }),
    scope: ScopeView,
  })
  .meta({ id: 'NewKey' });

export const RevokedView = z
  .object({ revoked: z.object({ key_id: id('apiKey'), status: z.literal('revoked') }) })
  .meta({ id: 'RevokedKey' });

export function toNewKeyView({ key, value }: NewKey): z.infer<typeof NewKeyView> {
  return {
    api_key: {
      apikey: value,
      key_id: key.id,
      key_name: key.name,
      scope_name: key.scope.name,
      expires_at: key.expiresAt?.toISOString() ?? null,
    },
    scope: toScopeView(key.scope),
  };
}

export function toRevokedView(keyId: string): z.infer<typeof RevokedView> {
  return { revoked: { key_id: keyId, status: 'revoked' } };
}
