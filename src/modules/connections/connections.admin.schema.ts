import { z } from 'zod';
import { id } from '../../kernel/schema.js';
import { STATUSES } from './connection.entity.js';
import { UpdateConnection, warnings } from './connections.schema.js';

export const ChangeConnection = z
  .strictObject({
    status: z.enum(STATUSES).optional(),
    fields: UpdateConnection.shape.fields.optional(),
  })
  .refine(({ status, fields }) => status !== undefined || fields !== undefined, 'needs status or fields')
  .meta({ id: 'ChangeConnection', examples: [{ status: 'INACTIVE' }] });
export type ChangeConnection = z.output<typeof ChangeConnection>;

export const ConnectionGone = z.object({ connectionId: id('connection') }).meta({ id: 'ConnectionGone' });

export const ConnectionTested = z
  .object({
    connectionId: id('connection'),
    ok: z.boolean().meta({ examples: [true] }),
    model: z.string().meta({ examples: ['gpt-4o'] }),
    latencyMs: z.int().meta({ examples: [412] }),
    reason: z.string().nullable().describe('The error, if the call failed.'),
    warnings,
  })
  .meta({ id: 'ConnectionTested' });
