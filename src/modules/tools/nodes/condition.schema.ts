import { z } from 'zod';
import { conditionFault } from '../../../platform/template/template-faults.js';

export const ConditionNode = z.strictObject({
  expression: z
    .string()
    .min(1)
    .max(2_000)
    .superRefine((text, context) => {
      const message = conditionFault(text);
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    })
    .describe('A Liquid condition, such as `input.amount > 100 and nodes.find.body.isOpen`.'),
});
export type ConditionNode = z.infer<typeof ConditionNode>;
