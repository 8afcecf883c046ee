import { z } from 'zod';
import { filtersOfAll, FORWARDS, isForwards } from './ledger-query.schema.js';
import { DIVISIBLE, groupLimit, interval, isDivisible, LedgerSummary } from './ledger-summary.schema.js';

const GROUPS = ['hour', 'day', 'model', 'provider', 'agent', 'source', 'environment', 'project'] as const;
export type GroupOfAll = (typeof GROUPS)[number];

export const InstallationSumsQuery = z
  .strictObject({
    ...filtersOfAll,
    groupBy: z
      .enum(GROUPS)
      .default('project')
      .describe('The member by which calls are grouped. The keys of projects are their ids.'),
    interval,
    limit: groupLimit,
  })
  .refine(isForwards, FORWARDS)
  .refine(isDivisible, DIVISIBLE);
export type InstallationSumsQuery = z.output<typeof InstallationSumsQuery>;

export const InstallationSums = LedgerSummary.extend({ groupBy: z.enum(GROUPS) }).meta({ id: 'LedgerSumsOfAll' });
