import { z } from 'zod';
import { EXAMPLE_CALL, GivenCall } from '../call.schema.js';

export const MAX_ROWS = 10_000;

/** The OpenAPI document shows the schema of a row. The service checks it, because its error names every bad row. */
const row = z
  .unknown()
  .meta({ ...z.toJSONSchema(GivenCall, { io: 'input', unrepresentable: 'any' }), $schema: undefined });

export const WriteCalls = z
  .strictObject({ generations: z.array(row).min(1).max(MAX_ROWS) })
  .meta({ id: 'WriteLlmCalls', examples: [{ generations: [EXAMPLE_CALL] }] });
export type WriteCalls = z.output<typeof WriteCalls>;

export const WrittenView = z
  .object({
    success: z.literal(true),
    statusCode: z.literal(201),
    accepted: z.int().describe('The number of calls that were written.'),
    duplicates: z.int().describe('The number of calls that the project already had.'),
    unpriced: z
      .array(z.string())
      .describe('The models of accepted calls that have no price. The cost of such calls is 0.'),
  })
  .meta({
    id: 'LlmCallsWritten',
    examples: [{ success: true, statusCode: 201, accepted: 1, duplicates: 0, unpriced: [] }],
  });
