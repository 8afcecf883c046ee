import { z } from 'zod';
import { filters, FORWARDS, isForwards } from './ledger-query.schema.js';

export const ExportQuery = z.strictObject(filters).refine(isForwards, FORWARDS);
export type ExportQuery = z.output<typeof ExportQuery>;
