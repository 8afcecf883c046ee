import { z } from 'zod';
import { PAYLOAD_POLICIES } from './ledger-policy.entity.js';

const payloads = z
  .enum(PAYLOAD_POLICIES)
  .describe(
    '`show`: prompts and answers are kept and returned; `omit`: kept, and not returned while this stands; `drop`: those of calls from now on are not kept.',
  )
  .meta({ examples: ['omit'] });

export const LedgerPolicyView = z.object({ payloads }).meta({ id: 'LedgerPolicy' });

export const ChangeLedgerPolicy = z
  .strictObject({ payloads })
  .meta({ id: 'ChangeLedgerPolicy', examples: [{ payloads: 'omit' }] });
export type ChangeLedgerPolicy = z.output<typeof ChangeLedgerPolicy>;
