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
      .describe(
        'The use of the key. `sealing`: it seals new secrets; `opening`: it only opens secrets; `missing`: it is not in the settings.',
      ),
    records: z
      .number()
      .int()
      .describe('The number of records whose data key it wraps. Remove a key from the settings only if this is 0.')
      .meta({ examples: [12] }),
  })
  .meta({ id: 'MasterKey' }) satisfies z.ZodType<MasterKey>;

export const RewrapView = z
  .object({
    jobId: id('job').describe('The job that wraps the secrets again.'),
    masterKey: z
      .number()
      .int()
      .meta({ examples: [2] }),
  })
  .meta({ id: 'Rewrap' });
