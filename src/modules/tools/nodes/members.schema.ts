import { z } from 'zod';
import { anyJson } from '../../../kernel/schema.js';
import { conditionFault, templateFaults } from '../../../platform/template/template-faults.js';

/** The longest time for which a node may suspend its run: 30 days. */
export const MAX_SUSPENSION_SECONDS = 30 * 24 * 3_600;

/** A text of a node, which is a template. */
export const template = z.string().max(100_000);
/** Any value of JSON whose texts are templates. */
export const templates: z.ZodType = anyJson;

/** A Liquid condition. */
export const condition = z
  .string()
  .min(1)
  .max(2_000)
  .superRefine((text, context) => {
    const message = conditionFault(text);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });

export const whole = (min: number, max: number) => z.int().min(min).max(max);

export const retry = z
  .strictObject({
    attempts: whole(1, 10).default(3),
    delayMs: whole(0, 60_000)
      .default(500)
      .describe('The milliseconds before the second attempt. They double before each later one.'),
  })
  .optional()
  .describe('How often the node is attempted if the server does not answer, or answers 408, 425, 429 or 5xx.');

/** Refuses a value that has texts which are no valid templates. */
export function refuseBadTemplates(value: unknown, context: z.RefinementCtx): void {
  for (const { path, message } of templateFaults(value)) context.addIssue({ code: 'custom', path, message });
}
