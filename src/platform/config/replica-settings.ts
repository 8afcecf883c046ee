import { z } from 'zod';

/** The settings of a replica of the database. */
export const replicaSettings = {
  DATABASE_READ_URL: z
    .url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// address' })
    .optional()
    .describe(
      'Address of a replica of the database (streaming replication). It answers ledger pages, sums, exports, and lists of sessions, traces and conversations, as far as it is not behind.',
    ),
  READ_LAG_SECONDS: z.coerce
    .number()
    .min(0.1)
    .max(3_600)
    .default(1)
    .describe(
      'Seconds that an answer of the replica may be old. While the replica is further behind, the primary answers.',
    ),
};
