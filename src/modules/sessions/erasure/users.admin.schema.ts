import { z } from 'zod';
import { count, id, timestamp } from '../../../kernel/schema.js';
import { type ErasureRow, reportOf } from './erasure.entity.js';
import type { User } from '../user.entity.js';

export const UserView = z
  .object({
    userId: id('user'),
    userReference: z.string().meta({ examples: ['customer-17'] }),
    createdAt: timestamp,
    lastSeenAt: timestamp,
  })
  .meta({ id: 'AppUser' });

export const ErasureView = z
  .object({
    userId: id('user'),
    state: z.enum(['running', 'done', 'failed']).meta({ examples: ['done'] }),
    requestedAt: timestamp,
    finishedAt: timestamp.nullable(),
    erased: z.object({
      sessions: count(3),
      traces: count(12),
      observations: count(40),
      payloads: count(14).describe(
        'The number of calls in the ledger whose texts were erased. Their counts and costs stay.',
      ),
      attachments: count(1),
      toolRuns: count(2),
      messages: count(0).describe(
        'The number of messages of the webhook channel that were erased with their callbacks.',
      ),
    }),
    fileIds: z
      .array(z.string())
      .describe(
        'The files that were attached to the user’s sessions. They belong to the project and are not erased; delete them if necessary.',
      )
      .meta({ examples: [[]] }),
  })
  .meta({ id: 'Erasure' });

export function toUserView({ id: userId, reference, createdAt, lastSeenAt }: User): z.output<typeof UserView> {
  return {
    userId,
    userReference: reference,
    createdAt: createdAt.toISOString(),
    lastSeenAt: lastSeenAt.toISOString(),
  };
}

export function toErasureView(erasure: ErasureRow): z.output<typeof ErasureView> {
  const { userId, state, requestedAt, finishedAt, fileIds } = erasure;
  return {
    userId,
    state,
    requestedAt: requestedAt.toISOString(),
    finishedAt: finishedAt?.toISOString() ?? null,
    erased: reportOf(erasure),
    fileIds,
  };
}
