import { z } from 'zod';
import type { ErrorShape } from '../../platform/route/error-shape.js';

export const HookError = z
  .object({
    code: z
      .int()
      .describe('The HTTP status, as a number.')
      .meta({ examples: [400] }),
    message: z
      .string()
      .describe(
        'The message says what happened and what to do next. Each fault of a request has a line of its own, with its path.',
      )
      .meta({ examples: ['The linked agent details could not be found. Verify the botId.'] }),
  })
  .meta({ id: 'HookError' });

const FAULTS = 'The request has faults. Each has a line below, with its path.';

/** The form of errors that the hooks' senders expect: a number and a text. The stable code is in `x-error-code`. */
export const HOOK_ERRORS: ErrorShape = {
  name: 'hooks',
  schema: HookError,
  hasCode: false,
  challenge: 'Bearer realm="slipway"',
  body: ({ spec, message, extras: { details } }) => {
    const issues = (details?.issues ?? []) as { path: string; message: string }[];
    if (issues.length === 0) return { code: spec.status, message };
    const lines = issues.map((issue) => `${issue.path || 'body'}: ${issue.message}`);
    return { code: spec.status, message: [FAULTS, ...lines].join('\n') };
  },
};
