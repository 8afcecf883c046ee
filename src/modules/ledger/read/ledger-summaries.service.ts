import { Injectable } from '@nestjs/common';
import type { z } from 'zod';
import { clock } from '../../../kernel/clock.js';
import type { AdminActor } from '../../../kernel/actor.js';
import type { Id } from '../../../kernel/ids.js';
import { mapPage, type Page } from '../../../kernel/page.js';
import { visibleProjects } from '../../../kernel/roles.js';
import { DAY_MS, type Span } from '../../../kernel/spans.js';
import { Reads } from '../../../platform/database/reads.js';
import { TenancyService } from '../../tenancy/tenancy.service.js';
import { CallRepository, type GroupSums, type IntervalSums } from '../call.repository.js';
import { wholeHoursAround } from '../rollup/time-parts.js';
import { CallSearch } from './call-search.js';
import { callsWanted, filterOf } from './calls-wanted.js';
import type { InstallationSums, InstallationSumsQuery } from './installation-sums.admin.schema.js';
import { type Interval, intervalsOf } from './intervals.js';
import {
  type Group,
  type GroupInterval,
  isDivided,
  type LedgerSummary,
  MOST_DIVIDED,
  type SummaryQuery,
} from './ledger-summary.schema.js';
import type { ProjectSumsQuery, ProjectSumsView } from './project-sums.admin.schema.js';

@Injectable()
export class LedgerSummaries {
  constructor(
    private readonly reads: Reads,
    private readonly search: CallSearch,
    private readonly calls: CallRepository,
    private readonly tenancy: TenancyService,
  ) {}

  /** Sums calls, tokens and costs by day, model or another member, and the groups by hour or day if that is asked. */
  async summary(projectId: Id<'project'>, query: SummaryQuery): Promise<z.output<typeof LedgerSummary>> {
    const wanted = callsWanted(projectId, query);
    checkIntervals(wanted, query);
    return this.reads.together(async (ask) => {
      const matching = await this.search.matching(ask, wanted);
      const sums = await ask(this.calls.sumsByGroup(matching, query.groupBy, query.limit + 1));
      const divided = intervalsWanted(query, sums);
      return toSummary(query, sums, divided && (await ask(this.calls.sumsByInterval(matching, divided))));
    });
  }

  /** Sums the calls of all visible projects. The window is widened to whole hours, so that the rollup has its sums. */
  async ofAll(actor: AdminActor, query: InstallationSumsQuery): Promise<z.output<typeof InstallationSums>> {
    const { fromDate: from, toDate: to } = query;
    const wanted = { ...wholeHoursAround({ from, to }), filter: filterOf(query), projectIds: visibleProjects(actor) };
    checkIntervals(wanted, query);
    return this.reads.together(async (ask) => {
      const sums = await ask(this.calls.sumsOfAll(wanted, query.groupBy, query.limit + 1));
      const divided = intervalsWanted(query, sums);
      return toSummary(query, sums, divided && (await ask(this.calls.sumsOfAllByInterval(wanted, divided))));
    });
  }

  /** Sums the calls of the last days, with today, for each project of a page. */
  async ofProjects(
    actor: AdminActor,
    { days, ...request }: ProjectSumsQuery,
  ): Promise<Page<z.output<typeof ProjectSumsView>>> {
    const projects = await this.tenancy.listProjects(actor, request);
    const today = Math.floor(clock.now().getTime() / DAY_MS) * DAY_MS;
    const since = new Date(today - (days - 1) * DAY_MS);
    const ids = projects.items.map(({ id }) => id);
    const sums = new Map(
      (await this.reads.one(this.calls.sumsOfProjects(ids, since))).map((each) => [each.projectId, each]),
    );
    return mapPage(projects, ({ id, name }) => ({ projectId: id, name, ...NO_CALLS, ...sums.get(id) }));
  }
}

const NO_CALLS = { calls: 0, failed: 0, totalTokens: 0, cost: 0 };

interface Grouping<By extends string> {
  groupBy: By;
  limit: number;
  interval?: Interval | undefined;
}

function checkIntervals(window: Span, { interval }: Pick<Grouping<string>, 'interval'>): void {
  if (interval) intervalsOf(window, interval);
}

/** Returns the groups whose sums by hour or day are asked for. */
function intervalsWanted({ groupBy, limit, interval }: Grouping<string>, sums: readonly GroupSums[]) {
  if (!interval || !isDivided(groupBy)) return null;
  return { groupBy, interval, groups: sums.slice(0, Math.min(limit, MOST_DIVIDED)).map(({ key }) => key) };
}

function toSummary<By extends string>(
  { groupBy, limit }: Grouping<By>,
  sums: readonly GroupSums[],
  divided: readonly IntervalSums[] | null,
) {
  const intervals = divided && Map.groupBy(divided, ({ group }) => group);
  const groups = sums.slice(0, limit).map((group, place) => ({
    ...toGroup(group),
    ...(intervals && place < MOST_DIVIDED && { intervals: (intervals.get(group.key) ?? []).map(toInterval) }),
  }));
  return { success: true as const, statusCode: 200 as const, groupBy, hasMore: sums.length > limit, groups };
}

function toInterval({ group: _, ...sums }: IntervalSums): z.output<typeof GroupInterval> {
  return { ...toGroup(sums), failed: sums.failed };
}

function toGroup({ latencyMs, ...sums }: GroupSums): z.output<typeof Group> {
  const outputTokens = sums.completionTokens + sums.reasoningTokens;
  const totalTokens = sums.inputTokens + outputTokens;
  return { ...sums, outputTokens, totalTokens, averageLatencyMs: Math.round(latencyMs / sums.calls) };
}
