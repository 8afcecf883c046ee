import { z } from 'zod';
import { wholeNumber } from '../../../kernel/schema.js';
import { filters, FORWARDS, isForwards } from './ledger-query.schema.js';
import { LedgerSummary } from './ledger-summary.schema.js';

const GROUPS = ['hour', 'day', 'model', 'provider', 'agent', 'source', 'environment', 'project'] as const;
export type GroupOfAll = (typeof GROUPS)[number];

const { sessionIds: _, ...filtersOfAll } = filters;

export const InstallationSumsQuery = z
  .strictObject({
    ...filtersOfAll,
    groupBy: z
      .enum(GROUPS)
      .default('project')
      .describe('The member by which calls are grouped. The keys of projects are their ids.'),
    limit: wholeNumber(1, 10_000)
      .prefault(1_000)
      .describe(
        'The maximum number of groups. Hours and days come in order of time, others with the highest cost first.',
      ),
  })
  .refine(isForwards, FORWARDS);
export type InstallationSumsQuery = z.output<typeof InstallationSumsQuery>;

export const InstallationSums = LedgerSummary.extend({ groupBy: z.enum(GROUPS) }).meta({ id: 'LedgerSumsOfAll' });
