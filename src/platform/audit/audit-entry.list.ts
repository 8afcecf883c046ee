import { z } from 'zod';
import { id, moment } from '../../kernel/schema.js';
import { defineList, type RequestOf } from '../list/list.js';
import { AuditEntry } from './audit-entry.entity.js';

const actor = z
  .string()
  .describe(
    'The id of a key, the identity and the subject of a person, such as `oidc:248289761001`, `admin` for the key of the settings, or `system`.',
  );
const operation = z
  .string()
  .describe('The method and path of a route, such as `DELETE /api/admin/v1/projects/{projectId}`.');
const from = moment.meta({ examples: ['2026-11-01T00:00:00.000Z'] }).describe('Finds entries at this time or later.');

export const auditEntryList = defineList(AuditEntry, {
  sorts: { at: 'id' },
  order: 'desc',
  filters: {
    projectId: id('project'),
    actor: { schema: actor, where: (actorId) => ({ actorId }) },
    kind: z.string().describe('The kind of the changed object, such as `apiKey`.'),
    targetId: z.string().describe('The id of the changed object.'),
    operation,
    from: { schema: from, where: (time) => ({ at: { $gte: time } }) },
    to: { schema: moment.describe('Finds entries before this time.'), where: (time) => ({ at: { $lt: time } }) },
  },
});
export type AuditEntriesRequest = RequestOf<typeof auditEntryList>;
