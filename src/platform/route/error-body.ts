import { z } from 'zod';
import type { SlipwayError } from '../../kernel/errors.js';
import { Meta } from './answer.js';

export const ErrorBody = z
  .object({
    success: z.literal(false),
    statusCode: z.int(),
    error: z.object({
      code: z.string().describe('Stays the same; programs decide by it.'),
      message: z.string().describe('What happened and what to do next; for people.'),
      details: z.record(z.string(), z.unknown()).optional(),
    }),
    required: z.array(z.string()).optional().describe('The permissions the key lacked.'),
    meta: Meta,
  })
  .meta({ id: 'Error' });

export function errorBody({ spec, message, extras }: SlipwayError, meta: Meta): z.infer<typeof ErrorBody> {
  const { details, required } = extras;
  return {
    success: false,
    statusCode: spec.status,
    error: { code: spec.code, message, ...(details && { details }) },
    ...(required && { required: [...required] }),
    meta,
  };
}

/** The same error as RFC 9457 has it, for clients that ask for application/problem+json. */
export const Problem = z
  .object({
    type: z
      .string()
      .describe('Leads to what the code means, from wherever this service is reached.')
      .meta({ examples: ['/docs/errors#API_KEY_INVALID'] }),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    instance: z.string(),
    details: z.record(z.string(), z.unknown()).optional(),
    required: z.array(z.string()).optional(),
  })
  .meta({ id: 'Problem' });

export function problemBody({ spec, message, extras }: SlipwayError, requestId: string): z.infer<typeof Problem> {
  const { details, required } = extras;
  return {
    type: `/docs/errors#${spec.code}`,
    title: spec.code,
    status: spec.status,
    detail: message,
    instance: `urn:slipway:request:${requestId}`,
    ...(details && { details }),
    ...(required && { required: [...required] }),
  };
}
