import { z } from 'zod';
import { count, id, wholeNumber } from '../../../kernel/schema.js';
import { projectList } from '../../tenancy/project.list.js';

export const ProjectSumsQuery = projectList.queryWith({
  days: wholeNumber(1, 400).prefault(30).describe('The number of days in UTC whose calls are summed, with today.'),
});
export type ProjectSumsQuery = z.output<typeof ProjectSumsQuery>;

export const ProjectSumsView = z
  .object({
    projectId: id('project'),
    name: z.string().meta({ examples: ['Customer service'] }),
    calls: count(412),
    failed: count(3),
    totalTokens: count(374_000),
    cost: z
      .number()
      .meta({ examples: [0.97] })
      .describe('The cost in US dollars.'),
  })
  .meta({ id: 'LedgerSumsOfProject' });
