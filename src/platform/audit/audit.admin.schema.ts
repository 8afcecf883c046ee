import { z } from 'zod';
import { id, timestamp } from '../../kernel/schema.js';
import { exampleId } from '../../kernel/ids.js';
import type { AuditEntry } from './audit-entry.entity.js';
import { auditEntryList } from './audit-entry.list.js';

export const AuditQuery = auditEntryList.query.refine(({ from, to }) => !from || !to || from < to, {
  path: ['from'],
  error: 'must be before to',
});

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
