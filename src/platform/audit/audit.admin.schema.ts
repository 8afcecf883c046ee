import { z } from 'zod';
import { id, moment, timestamp } from '../../kernel/schema.js';
import { exampleId } from '../../kernel/ids.js';
import { CursorQuery } from '../route/cursor-query.js';
import type { AuditEntry } from './audit-entry.entity.js';

export const AuditQuery = CursorQuery.extend({
  projectId: id('project').optional(),
  actor: z.string().optional().describe('Id of a key, `admin` for the key of the settings, or `system`.'),
  kind: z.string().optional().describe('What was changed, such as `apiKey`.'),
  targetId: z.string().optional().describe('Id of what was changed.'),
  operation: z
    .string()
    .optional()
    .describe('Verb and path of a route, such as `DELETE /api/admin/v1/projects/{projectId}`.'),
  from: moment
    .meta({ examples: ['2026-11-01T00:00:00.000Z'] })
    .optional()
    .describe('The earliest time, included.'),
  to: moment.optional().describe('The latest time, not included.'),
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
        .describe('The name of the key when it did this.')
        .meta({ examples: ['ada'] }),
    }),
    requestId: z
      .string()
      .nullable()
      .describe('Null where no request asked for it.')
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
        .describe('Null for what belongs to the installation.')
        .meta({ examples: [exampleId('project')] }),
    }),
    change: z.enum(['created', 'changed', 'deleted']).meta({ examples: ['changed'] }),
    before: members
      .describe('Of a change the changed members alone. Secrets read `***`.')
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
