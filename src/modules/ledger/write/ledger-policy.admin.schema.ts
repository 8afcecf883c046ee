import { z } from 'zod';
import { PAYLOAD_POLICIES } from './ledger-policy.entity.js';

const payloads = z
  .enum(PAYLOAD_POLICIES)
  .describe(
    'How prompts and answers are treated. `show`: they are stored and returned; `omit`: they are stored, but not returned while this policy applies; `drop`: they are not stored for calls from now on.',
  )
  .meta({ examples: ['omit'] });

export const LedgerPolicyView = z.object({ payloads }).meta({ id: 'LedgerPolicy' });

export const ChangeLedgerPolicy = z
  .strictObject({ payloads })
  .meta({ id: 'ChangeLedgerPolicy', examples: [{ payloads: 'omit' }] });
export type ChangeLedgerPolicy = z.output<typeof ChangeLedgerPolicy>;
