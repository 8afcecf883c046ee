import { Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { page } from '../../../platform/route/answer.js';
import { AdminRoute } from '../../../platform/route/route.js';
import { LedgerSummaries } from './ledger-summaries.service.js';
import { ProjectSumsQuery, ProjectSumsView } from './project-sums.admin.schema.js';

@ApiTags('Administration: ledger')
@Controller()
export class ProjectSumsAdminController {
  constructor(private readonly summaries: LedgerSummaries) {}

  @AdminRoute('GET /ledger-summary', {
    summary: 'Sum up the LLM calls of each project, oldest project first',
    returns: page(ProjectSumsView),
  })
  list(@Query({ schema: ProjectSumsQuery }) query: ProjectSumsQuery) {
    return this.summaries.ofProjects(query);
  }
}
