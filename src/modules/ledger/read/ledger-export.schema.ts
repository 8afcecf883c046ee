import { z } from 'zod';
import { exampleId } from '../../../kernel/ids.js';
import { timestamp } from '../../../kernel/schema.js';
import { filters, FORWARDS, isForwards } from './ledger-query.schema.js';

export const ExportQuery = z.strictObject(filters).refine(isForwards, FORWARDS);
export type ExportQuery = z.output<typeof ExportQuery>;

const format = z.enum(['ndjson', 'csv']).describe('JSON Lines or CSV.');
export type ExportFormat = z.output<typeof format>;

export const MakeExportLink = z
  .strictObject({ format, ...filters })
  .refine(isForwards, FORWARDS)
  .meta({
    id: 'MakeLlmLedgerExportLink',
    examples: [{ format: 'csv', fromDate: '2026-11-01T00:00:00Z', toDate: '2026-12-01T00:00:00Z', status: 'failed' }],
  });
export type MakeExportLink = z.output<typeof MakeExportLink>;

export const ExportLinkView = z
  .object({
    url: z
      .string()
      .describe('A link that opens the export for an hour. Everyone who has the link can use it.')
      .meta({
        examples: [
          `http://127.0.0.1:3000/api/public/analytics/projects/${exampleId('project')}/llm-ledger/export.csv/eyJzdGF0dXMiOiJmYWlsZWQifQ?expires=1795253400&signature=1.Zm9yIGV4YW1wbGUgb25seSwgdGhpcyBpcyBub3QgcmVhbA`,
        ],
      }),
    expiresAt: timestamp,
  })
  .meta({ id: 'LlmLedgerExportLink' });
export type ExportLinkView = z.output<typeof ExportLinkView>;
