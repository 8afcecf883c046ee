import { z } from 'zod';
import { condition } from './members.schema.js';

export const ConditionNode = z.strictObject({
  expression: condition.describe('A Liquid condition, such as `input.amount > 100 and nodes.find.body.isOpen`.'),
});
export type ConditionNode = z.infer<typeof ConditionNode>;
