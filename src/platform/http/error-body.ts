import { z } from 'zod';
import type { ErrorExtras, ErrorSpec } from '../../kernel/errors.js';
import { clock } from '../../kernel/clock.js';
import { Meta } from './envelope.js';

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

type Extras = Pick<ErrorExtras, 'details' | 'required'>;

export function errorBody(
  spec: ErrorSpec,
  message: string,
  { details, required }: Extras,
  requestId: string,
  at = clock.now(),
): z.infer<typeof ErrorBody> {
  return {
    success: false,
    statusCode: spec.status,
    error: { code: spec.code, message, ...(details && { details }) },
    ...(required && { required: [...required] }),
    meta: { requestId, timestamp: at.toISOString() },
  };
}

/** The same error as RFC 9457 has it, for clients that ask for application/problem+json. */
export function problemBody(
  spec: ErrorSpec,
  message: string,
  { details, required }: Extras,
  requestId: string,
): object {
  return {
    type: `urn:slipway:error:${spec.code}`,
    title: spec.code,
    status: spec.status,
    detail: message,
    instance: `urn:slipway:request:${requestId}`,
    ...(details && { details }),
    ...(required && { required }),
  };
}
