import { Injectable } from '@nestjs/common';
import type { z } from 'zod';
import { clock } from '../../../kernel/clock.js';
import type { Id } from '../../../kernel/ids.js';
import { mapPage, type Page } from '../../../kernel/page.js';
import { DAY_MS, HOUR_MS } from '../../../kernel/spans.js';
import { Reads } from '../../../platform/database/reads.js';
import { TenancyService } from '../../tenancy/tenancy.service.js';
import { CallRepository, type GroupSums } from '../call.repository.js';
import { CallSearch } from './call-search.js';
import { callsWanted, filterOf } from './calls-wanted.js';
import type { InstallationSums, InstallationSumsQuery } from './installation-sums.admin.schema.js';
import type { Group, LedgerSummary, SummaryQuery } from './ledger-summary.schema.js';
import type { ProjectSumsQuery, ProjectSumsView } from './project-sums.admin.schema.js';

@Injectable()
export class LedgerSummaries {
  constructor(
    private readonly reads: Reads,
    private readonly search: CallSearch,
    private readonly calls: CallRepository,
    private readonly tenancy: TenancyService,
  ) {}

  /** Sums calls, tokens and costs by day, model or another member. */
  async summary(projectId: Id<'project'>, query: SummaryQuery): Promise<z.output<typeof LedgerSummary>> {
    const { groupBy, limit } = query;
    const wanted = callsWanted(projectId, query);
    const sums = await this.reads.together(async (ask) => {
      const matching = await this.search.matching(ask, wanted);
      return ask(this.calls.sumsByGroup(matching, groupBy, limit + 1));
    });
    return toSummary(groupBy, limit, sums);
  }

  /** Sums the calls of all projects. The window is widened to whole hours, so that the rollup has its sums. */
  async ofAll(query: InstallationSumsQuery): Promise<z.output<typeof InstallationSums>> {
    const { groupBy, limit, fromDate, toDate } = query;
    const wanted = {
      from: new Date(Math.floor(fromDate.getTime() / HOUR_MS) * HOUR_MS),
      to: new Date(Math.ceil(toDate.getTime() / HOUR_MS) * HOUR_MS),
      filter: filterOf(query),
    };
    return toSummary(groupBy, limit, await this.reads.one(this.calls.sumsOfAll(wanted, groupBy, limit + 1)));
  }

  /** Sums the calls of the last days, with today, for each project of a page. */
  async ofProjects({ days, ...request }: ProjectSumsQuery): Promise<Page<z.output<typeof ProjectSumsView>>> {
    const projects = await this.tenancy.listProjects(request);
    const today = Math.floor(clock.now().getTime() / DAY_MS) * DAY_MS;
    const since = new Date(today - (days - 1) * DAY_MS);
    const ids = projects.items.map(({ id }) => id);
    const sums = new Map(
      (await this.reads.one(this.calls.sumsOfProjects(ids, since))).map((each) => [each.projectId, each]),
    );
    return mapPage(projects, ({ id, name }) => ({ ...sums.get(id)!, projectId: id, name }));
  }
}

function toSummary<By extends string>(groupBy: By, limit: number, sums: readonly GroupSums[]) {
  const groups = sums.slice(0, limit).map(toGroup);
  return { success: true as const, statusCode: 200 as const, groupBy, hasMore: sums.length > limit, groups };
}

function toGroup({ latencyMs, ...sums }: GroupSums): z.output<typeof Group> {
  const outputTokens = sums.completionTokens + sums.reasoningTokens;
  const totalTokens = sums.inputTokens + outputTokens;
  return { ...sums, outputTokens, totalTokens, averageLatencyMs: Math.round(latencyMs / sums.calls) };
}
