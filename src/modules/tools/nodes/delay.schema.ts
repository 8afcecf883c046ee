import { z } from 'zod';
import { MAX_SUSPENSION_SECONDS, refuseBadTemplates, template, whole } from './members.schema.js';

export const DelayNode = z
  .strictObject({
    seconds: z
      .union([whole(0, MAX_SUSPENSION_SECONDS), template], {
        error: `must be a whole number of seconds up to ${MAX_SUSPENSION_SECONDS}, or a template`,
      })
      .optional()
      .describe('The seconds to wait: a number, or a template of one.'),
    until: template
      .optional()
      .describe(
        'The time to wait for: a date and time with offset, such as 2026-11-21T09:30:00Z, or a template of one.',
      ),
  })
  .superRefine(({ seconds, until }, context) => {
    refuseBadTemplates({ seconds, until }, context);
    if ((seconds === undefined) === (until === undefined))
      context.addIssue({ code: 'custom', path: [], message: 'must have one of seconds and until' });
  });
export type DelayNode = z.infer<typeof DelayNode>;
