import { Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { AdminActor } from '../../../kernel/actor.js';
import { Administrator } from '../../../platform/auth/callers.js';
import { page, plain } from '../../../platform/route/answer.js';
import { AdminRoute } from '../../../platform/route/route.js';
import { ledgerErrors } from '../ledger.errors.js';
import { InstallationSums, InstallationSumsQuery } from './installation-sums.admin.schema.js';
import { LatencyOfAllQuery, LedgerLatency } from './ledger-latency.schema.js';
import { LedgerLatencies } from './ledger-latencies.service.js';
import { LedgerSummaries } from './ledger-summaries.service.js';
import { ProjectSumsQuery, ProjectSumsView } from './project-sums.admin.schema.js';

@ApiTags('Administration: ledger')
@Controller()
export class LedgerSumsAdminController {
  constructor(
    private readonly summaries: LedgerSummaries,
    private readonly latencies: LedgerLatencies,
  ) {}

  @AdminRoute('GET /ledger-summary', {
    summary: 'Sum up the LLM calls of each project, by default oldest project first',
    rightIn: 'anyProject',
    returns: page(ProjectSumsView),
  })
  list(@Administrator() actor: AdminActor, @Query({ schema: ProjectSumsQuery }) query: ProjectSumsQuery) {
    return this.summaries.ofProjects(actor, query);
  }

  @AdminRoute('GET /llm-ledger/summary', {
    summary: 'Sum up the LLM calls of all projects by day, model or another member',
    description:
      'The filters are those of the ledger of a project. The sums are of whole hours: the window begins with the hour of `fromDate` and ends with the hour of `toDate`.',
    rightIn: 'anyProject',
    returns: plain(InstallationSums),
    errors: [ledgerErrors.invalidFilter, ledgerErrors.invalidStatus, ledgerErrors.tooManyIntervals],
  })
  ofAll(@Administrator() actor: AdminActor, @Query({ schema: InstallationSumsQuery }) query: InstallationSumsQuery) {
    return this.summaries.ofAll(actor, query);
  }

  @AdminRoute('GET /llm-ledger/latency', {
    summary: 'Show the latency of the LLM calls of all projects and their failures over time',
    description:
      'The answer is that of the ledger of a project, for the calls of all projects. Each call of the window is read, so a long window may take seconds.',
    rightIn: 'anyProject',
    returns: plain(LedgerLatency),
    errors: [ledgerErrors.invalidFilter, ledgerErrors.invalidStatus, ledgerErrors.tooManyIntervals],
  })
  latencyOfAll(@Administrator() actor: AdminActor, @Query({ schema: LatencyOfAllQuery }) query: LatencyOfAllQuery) {
    return this.latencies.ofAll(actor, query);
  }
}
