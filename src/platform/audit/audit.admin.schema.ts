import { z } from 'zod';
import { id, moment, timestamp } from '../../kernel/schema.js';
import { exampleId } from '../../kernel/ids.js';
import { CursorQuery } from '../route/cursor-query.js';
import type { AuditEntry } from './audit-entry.entity.js';

export const AuditQuery = CursorQuery.extend({
  projectId: id('project').optional(),
  actor: z
    .string()
    .optional()
    .describe(
      'The id of a key, `oidc:` and the subject of a person, `admin` for the key of the settings, or `system`.',
    ),
  kind: z.string().optional().describe('The kind of the changed object, such as `apiKey`.'),
  targetId: z.string().optional().describe('The id of the changed object.'),
  operation: z
    .string()
    .optional()
    .describe('The method and path of a route, such as `DELETE /api/admin/v1/projects/{projectId}`.'),
  from: moment
    .meta({ examples: ['2026-11-01T00:00:00.000Z'] })
    .optional()
    .describe('Finds entries at this time or later.'),
  to: moment.optional().describe('Finds entries before this time.'),
}).refine(({ from, to }) => !from || !to || from < to, { path: ['from'], error: 'must be before to' });
export type AuditQuery = z.infer<typeof AuditQuery>;

const members = z.record(z.string(), z.unknown()).nullable();

export const AuditEntryView = z
  .object({
    auditId: id('auditEntry'),
    at: timestamp,
    actor: z.object({
      actorId: z.string().meta({ examples: [exampleId('adminKey')] }),
      kind: z.enum(['admin', 'key', 'jwtClient', 'system']),
      label: z
        .string()
        .describe('The name that the key had at that time.')
        .meta({ examples: ['ada'] }),
    }),
    requestId: z
      .string()
      .nullable()
      .describe('The id of the request, or null if no request caused the change.')
      .meta({ examples: [exampleId('request')] }),
    operation: z
      .string()
      .nullable()
      .meta({ examples: ['PATCH /api/admin/v1/projects/{projectId}'] }),
    target: z.object({
      kind: z.string().meta({ examples: ['project'] }),
      targetId: z.string().meta({ examples: [exampleId('project')] }),
      projectId: z
        .string()
        .nullable()
        .describe('The project of the changed object, or null if it belongs to the installation.')
        .meta({ examples: [exampleId('project')] }),
    }),
    change: z.enum(['created', 'changed', 'deleted']).meta({ examples: ['changed'] }),
    before: members
      .describe(
        'The members before the change. If the object was changed, only its changed members are shown. Secrets are shown as `***`.',
      )
      .meta({ examples: [{ name: 'Customer service' }] }),
    after: members.meta({ examples: [{ name: 'Customer care' }] }),
  })
  .meta({ id: 'AuditEntry' });

export function toAuditEntryView(entry: AuditEntry): z.infer<typeof AuditEntryView> {
  const { requestId, operation, change, before, after } = entry;
  return {
    auditId: entry.id,
    at: entry.at.toISOString(),
    actor: { actorId: entry.actorId, kind: entry.actorKind, label: entry.actorLabel },
    requestId,
    operation,
    target: { kind: entry.kind, targetId: entry.targetId, projectId: entry.projectId },
    change,
    before,
    after,
  };
}
