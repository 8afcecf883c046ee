import { z } from 'zod';
import type { SlipwayError } from '../../kernel/errors.js';
import { Meta } from './answer.js';

export const ErrorBody = z
  .object({
    success: z.literal(false),
    statusCode: z.int(),
    error: z.object({
      code: z.string().describe('The code of the error. It never changes, so programs can rely on it.'),
      message: z.string().describe('A text for people, which says what happened and what to do next.'),
      details: z.record(z.string(), z.unknown()).optional(),
      type: z
        .string()
        .optional()
        .describe('The kind of the error in OpenAI’s terms. Only routes for OpenAI’s clients send it.'),
      param: z
        .string()
        .nullable()
        .optional()
        .describe('The parameter at fault. Only routes for OpenAI’s clients send it.'),
    }),
    required: z.array(z.string()).optional().describe('The permissions that the key lacks.'),
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

/** The same error in the format of RFC 9457, for clients that ask for `application/problem+json`. */
export function problemBody({ spec, message, extras }: SlipwayError, requestId: string): object {
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
