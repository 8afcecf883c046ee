import { Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Id } from '../../kernel/ids.js';
import { mapPage } from '../../kernel/page.js';
import { data, page } from '../route/answer.js';
import { PathId } from '../route/path-id.js';
import { AdminRoute } from '../route/route.js';
import { type AuditEntriesRequest, auditEntryList } from './audit-entry.list.js';
import { AuditEntryRepository } from './audit-entry.repository.js';
import { AuditEntryView, AuditQuery, toAuditEntryView } from './audit.admin.schema.js';
import { auditErrors } from './audit.errors.js';

@ApiTags('Administration: audit')
@Controller()
export class AuditAdminController {
  constructor(private readonly entries: AuditEntryRepository) {}

  @AdminRoute('GET /audit', {
    summary: 'List who changed what, by default newest first',
    right: 'readAudit',
    description:
      'Entries have to match all filters. They cannot be changed, and are deleted after their retention period.',
    returns: page(AuditEntryView),
  })
  async list(@Query({ schema: AuditQuery }) query: AuditEntriesRequest) {
    return mapPage(await auditEntryList.page(this.entries, {}, query), toAuditEntryView);
  }

  @AdminRoute('GET /audit/{auditId}', {
    summary: 'Read an entry of the audit',
    right: 'readAudit',
    returns: data(AuditEntryView),
    errors: [auditErrors.auditEntryNotFound],
  })
  async read(@PathId('auditEntry', 'auditId') auditId: Id<'auditEntry'>) {
    const entry = await this.entries.findOne(auditId);
    if (!entry) throw auditErrors.auditEntryNotFound();
    return toAuditEntryView(entry);
  }
}
