import { Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { mapPage } from '../../kernel/page.js';
import { page } from '../route/answer.js';
import { AdminRoute } from '../route/route.js';
import { AuditEntryRepository } from './audit-entry.repository.js';
import { AuditEntryView, AuditQuery, toAuditEntryView } from './audit.admin.schema.js';

@ApiTags('Administration: audit')
@Controller()
export class AuditAdminController {
  constructor(private readonly entries: AuditEntryRepository) {}

  @AdminRoute('GET /audit', {
    summary: 'List who changed what, newest first',
    description:
      'Entries have to match all filters. They cannot be changed, and are deleted after their retention period.',
    returns: page(AuditEntryView),
  })
  async list(@Query({ schema: AuditQuery }) { cursor, limit, actor: actorId, ...filter }: AuditQuery) {
    return mapPage(await this.entries.page({ ...filter, actorId }, { cursor, limit }), toAuditEntryView);
  }
}
