import { z } from 'zod';
import { condition, refuseBadTemplates, template, templates } from './members.schema.js';

export const TransformNode = z
  .strictObject({
    output: templates.describe(
      'Any value of JSON, whose texts are templates. A text that is a single `{{ … }}` becomes that value unchanged.',
    ),
    each: template
      .optional()
      .describe(
        'A template of a list, such as `{{ input.lines }}`. The node then makes a list with `output` for each `item`, whose position is `index`.',
      ),
    where: condition
      .optional()
      .describe('A Liquid condition on `item` and `index`. Items for which it is false are left out.'),
  })
  .superRefine(({ output, each, where }, context) => {
    refuseBadTemplates({ output, each }, context);
    if (where !== undefined && each === undefined)
      context.addIssue({ code: 'custom', path: ['where'], message: 'has no effect without `each`' });
  });
export type TransformNode = z.infer<typeof TransformNode>;
