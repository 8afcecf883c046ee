import { z } from 'zod';
import { clock } from '../../kernel/clock.js';
import { exampleId } from '../../kernel/ids.js';
import type { Envelope } from './route-description.js';

export const Meta = z
  .object({
    requestId: z.string().describe('Names this request in the logs; also in the header x-request-id.'),
    timestamp: z.iso.datetime(),
  })
  .meta({ id: 'Meta', examples: [{ requestId: exampleId('request'), timestamp: '2026-11-21T09:30:00.000Z' }] });

export function metaOf(requestId: string): z.infer<typeof Meta> {
  return { requestId, timestamp: clock.now().toISOString() };
}

/** The schema of what leaves, given the schema of what a controller returns. */
export function envelopeSchema(envelope: Envelope, returns: z.ZodType): z.ZodType {
  switch (envelope) {
    case 'none':
      return returns;
    case 'success':
      return (returns as z.ZodObject).extend({ success: z.literal(true), meta: Meta });
    case 'data':
      return z.object({ success: z.literal(true), data: returns, meta: Meta });
    case 'page':
      return z.object({
        success: z.literal(true),
        data: z.array(returns),
        meta: Meta.extend({ nextCursor: z.string().nullable().describe('Send it as `cursor` for the next page.') }),
      });
  }
}
