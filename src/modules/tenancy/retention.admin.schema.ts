import { z } from 'zod';
import { faultsOf, type ProjectPeriod } from '../../platform/retention/retention-periods.js';

const days = z.number().int().min(1).max(36_500);

export const ChangeRetention = z
  .strictObject({
    days: z
      .record(z.string(), z.number().nullable())
      .superRefine((changes, context) => {
        for (const { path, message } of faultsOf(changes)) context.addIssue({ code: 'custom', path, message });
      })
      .describe('The periods in days, by name. `null` sets the default. Periods that are left out do not change.')
      .meta({ examples: [{ audit: 90 }] }),
  })
  .meta({ id: 'ChangeRetention', examples: [{ days: { audit: 90 } }] });
export type ChangeRetention = z.infer<typeof ChangeRetention>;

export const RetentionView = z
  .object({
    name: z.string().meta({ examples: ['audit'] }),
    holds: z.string().meta({ examples: ['Audit entries'] }),
    days: days.meta({ examples: [90] }),
    defaultDays: days.meta({ examples: [400] }),
    minDays: days.meta({ examples: [30] }),
    maxDays: days.meta({ examples: [3650] }),
  })
  .meta({ id: 'Retention' }) satisfies z.ZodType<ProjectPeriod>;
