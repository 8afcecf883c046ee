import { z } from 'zod';
import { displayName, id, timestamp } from '../../kernel/schema.js';
import { TOKEN_ALGORITHMS } from '../../platform/auth/jwt-client-directory.js';
import { shownOnce } from '../../platform/route/shown-once.js';
import type { JwtClient } from './jwt-client.entity.js';
import type { NewClient } from './jwt-clients.service.js';

const name = displayName.meta({ examples: ['Contact centre'] });
const publicKey = z
  .string()
  .max(16_384)
  .describe('An RSA public key in PEM of 2048 to 8192 bits. Only clients with RS256 have one.');
const requireExp = z.boolean().describe('Whether tokens need an `exp`.');
const enforceJti = z
  .boolean()
  .describe('Whether each token needs a `jti` and an `exp` or `iat`, and is accepted only once.');

/** Thirty days are long enough to replace a key wherever it signs. */
const MAX_GRACE_SECONDS = 30 * 24 * 3600;

export const CreateJwtClient = z
  .strictObject({
    name,
    algorithm: z
      .enum(TOKEN_ALGORITHMS)
      .default('HS256')
      .describe('The algorithm with which the client signs its tokens.'),
    publicKey: publicKey.optional(),
    requireExp: requireExp.default(false),
    enforceJti: enforceJti.default(false),
  })
  .meta({ id: 'CreateJwtClient', examples: [{ name: 'Contact centre', algorithm: 'HS256' }] });
export type CreateJwtClient = z.output<typeof CreateJwtClient>;

export const ChangeJwtClient = z
  .strictObject({ name: name.optional(), requireExp: requireExp.optional(), enforceJti: enforceJti.optional() })
  .meta({ id: 'ChangeJwtClient', examples: [{ requireExp: true }] });
export type ChangeJwtClient = z.output<typeof ChangeJwtClient>;

export const RotateJwtClient = z
  .strictObject({
    publicKey: publicKey.optional(),
    graceSeconds: z
      .int()
      .min(0)
      .max(MAX_GRACE_SECONDS)
      .default(0)
      .describe('The seconds for which the previous key remains valid.'),
  })
  .prefault({})
  .meta({ id: 'RotateJwtClient', examples: [{ graceSeconds: 3600 }] });
export type RotateJwtClient = z.output<typeof RotateJwtClient>;

export const JwtClientView = z
  .object({
    clientId: id('jwtClient'),
    projectId: id('project'),
    name,
    algorithm: z.enum(TOKEN_ALGORITHMS).meta({ examples: ['HS256'] }),
    keyHint: z
      .string()
      .describe('The last characters of the secret, or the fingerprint of the public key.')
      .meta({ examples: ['********3fPq'] }),
    previousKeyUntil: timestamp.nullable().describe('The time until which the previous key is valid.'),
    requireExp: requireExp.meta({ examples: [false] }),
    enforceJti: enforceJti.meta({ examples: [false] }),
    createdAt: timestamp,
  })
  .meta({ id: 'JwtClient' });

export const NewJwtClientView = JwtClientView.extend({
  clientSecret: shownOnce(
    z
      .string()
      .describe(
        'The secret with which an HS256 client signs its tokens; its characters are the key. It is shown only once. RS256 clients have none.',
      )
      .meta({ examples: ['0VJ8kQ2xT4bN7mRw1ZcYp30VJ8kQ2xT4bN7mRw1ZcYp'] }),
  ),
}).meta({ id: 'NewJwtClient' });

export const JwtClientGone = z.object({ clientId: id('jwtClient') }).meta({ id: 'JwtClientGone' });

export function toJwtClientView(client: JwtClient): z.infer<typeof JwtClientView> {
  return {
    clientId: client.id,
    projectId: client.project.id,
    name: client.name,
    algorithm: client.algorithm,
    keyHint: client.keyHint,
    previousKeyUntil: client.previousUntil?.toISOString() ?? null,
    requireExp: client.requireExp,
    enforceJti: client.enforceJti,
    createdAt: client.createdAt.toISOString(),
  };
}

export function toNewJwtClientView({ client, secret }: NewClient): z.infer<typeof NewJwtClientView> {
  return { ...toJwtClientView(client), clientSecret: secret };
}
