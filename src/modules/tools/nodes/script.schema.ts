import { z } from 'zod';
import { whole } from './members.schema.js';

const MAX_SCRIPT = 100_000;

export const ScriptNode = z.strictObject({
  code: z
    .string()
    .min(1)
    .max(MAX_SCRIPT)
    .describe(
      'The body of a JavaScript function of input, nodes, env and run. The value that it returns is the output of the node.',
    ),
  timeoutMs: whole(1, 10_000).default(1_000),
});
export type ScriptNode = z.infer<typeof ScriptNode>;
