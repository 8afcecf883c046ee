import { z } from 'zod';
import { clock } from '../../kernel/clock.js';
import { exampleId } from '../../kernel/ids.js';
import type { Envelope } from './route-description.js';
import { exampleOf } from './schema-example.js';

export const Meta = z
  .object({
    requestId: z
      .string()
      .describe('Names this request in the logs; also in the header x-request-id.')
      .meta({ examples: [exampleId('request')] }),
    timestamp: z.iso.datetime().meta({ examples: ['2026-11-21T09:30:00.000Z'] }),
  })
  .meta({ id: 'Meta' });

const PageMeta = Meta.extend({
  nextCursor: z.string().nullable().describe('Send it as `cursor` for the next page.'),
});

export function metaOf(requestId: string): z.infer<typeof Meta> {
  return { requestId, timestamp: clock.now().toISOString() };
}

/** The schema of what leaves, with an example, given the schema of what a controller returns. */
export function envelopeSchema(envelope: Envelope, returns: z.ZodType): z.ZodType {
  const success = z.literal(true);
  const inside = exampleOf(returns);
  const meta = exampleOf(Meta);
  switch (envelope) {
    case 'none':
      return returns;
    case 'success': {
      const example = { success: true, ...(inside as object), meta };
      return (returns as z.ZodObject).extend({ success, meta: Meta }).meta({ examples: [example] });
    }
    case 'data':
      return z
        .object({ success, data: returns, meta: Meta })
        .meta({ examples: [{ success: true, data: inside, meta }] });
    case 'page': {
      const example = { success: true, data: [inside], meta: { ...(meta as object), nextCursor: null } };
      return z.object({ success, data: z.array(returns), meta: PageMeta }).meta({ examples: [example] });
    }
  }
}
