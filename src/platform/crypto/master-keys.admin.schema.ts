import { z } from 'zod';
import { id } from '../../kernel/schema.js';
import type { MasterKey } from './master-keys.service.js';

export const MasterKeyView = z
  .object({
    number: z
      .number()
      .int()
      .meta({ examples: [2] }),
    state: z
      .enum(['sealing', 'opening', 'missing'])
      .describe('`sealing`: new secrets are sealed under it. `opening`: it opens what it wraps. `missing`: not set.'),
    records: z
      .number()
      .int()
      .describe('Records whose data key it wraps. Take a key out of the settings only at 0.')
      .meta({ examples: [12] }),
  })
  .meta({ id: 'MasterKey' }) satisfies z.ZodType<MasterKey>;

export const RewrapView = z
  .object({
    jobId: id('job').describe('The job that does it.'),
    masterKey: z
      .number()
      .int()
      .meta({ examples: [2] }),
  })
  .meta({ id: 'Rewrap' });
