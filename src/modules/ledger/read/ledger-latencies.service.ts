import { Injectable } from '@nestjs/common';
import type { z } from 'zod';
import type { AdminActor } from '../../../kernel/actor.js';
import type { Id } from '../../../kernel/ids.js';
import { visibleProjects } from '../../../kernel/roles.js';
import type { Span } from '../../../kernel/spans.js';
import { type Ask, Reads } from '../../../platform/database/reads.js';
import type { Statement } from '../../../platform/database/statement.js';
import { CallRepository, type CallTimes, type GroupSums, type GroupTimes } from '../call.repository.js';
import { wholeHoursAround } from '../rollup/time-parts.js';
import type { GroupsWanted } from './call-percentiles.statements.js';
import { CallSearch } from './call-search.js';
import { callsWanted, filterOf } from './calls-wanted.js';
import { type Interval, intervalsOf } from './intervals.js';
import {
  type LatencyInterval,
  type LatencyOfAllQuery,
  type LatencyQuery,
  type LedgerLatency,
} from './ledger-latency.schema.js';
import type { Divided } from './ledger-summary.schema.js';

/** An hour or a day, and the part of it that lies in the window. */
interface Slice extends Span {
  begin: number;
}

const WITHOUT_CALLS = { calls: 0, failed: 0, latencyMs: null, timeToFirstTokenMs: null };

/** The statements of which an answer needs the first, or the others if the request groups the calls. */
interface Statements {
  times: Statement<CallTimes[]>;
  sums: (groupBy: Divided, limit: number) => Statement<GroupSums[]>;
  timesByGroup: (wanted: GroupsWanted) => Statement<GroupTimes[]>;
}

@Injectable()
export class LedgerLatencies {
  constructor(
    private readonly reads: Reads,
    private readonly search: CallSearch,
    private readonly calls: CallRepository,
  ) {}

  /** Computes percentiles of the times that calls took, and counts failed calls, hour by hour or day by day. */
  async latency(projectId: Id<'project'>, query: LatencyQuery): Promise<z.output<typeof LedgerLatency>> {
    const wanted = callsWanted(projectId, query);
    const slices = slicesOf(wanted, query.interval);
    return this.reads.together(async (ask) => {
      const matching = await this.search.matching(ask, wanted);
      return answerTo(ask, query, slices, {
        times: this.calls.percentiles(matching, slices),
        sums: (groupBy, limit) => this.calls.sumsByGroup(matching, groupBy, limit),
        timesByGroup: (groups) => this.calls.percentilesByGroup(matching, slices, groups),
      });
    });
  }

  /** Computes percentiles and counts failed calls of all visible projects, hour by hour or day by day. */
  async ofAll(actor: AdminActor, query: LatencyOfAllQuery): Promise<z.output<typeof LedgerLatency>> {
    const window = { from: query.fromDate, to: query.toDate };
    const slices = slicesOf(window, query.interval);
    const calls = { projectIds: visibleProjects(actor), filter: filterOf(query) };
    const summed = { ...wholeHoursAround(window), ...calls };
    return this.reads.together((ask) =>
      answerTo(ask, query, slices, {
        times: this.calls.percentilesOfAll(calls, slices),
        sums: (groupBy, limit) => this.calls.sumsOfAll(summed, groupBy, limit),
        timesByGroup: (groups) => this.calls.percentilesOfAllByGroup(calls, slices, groups),
      }),
    );
  }
}

/** Cuts a window at whole hours or days in UTC. */
function slicesOf({ from, to }: Span, interval: Interval): Slice[] {
  const { first, count, width } = intervalsOf({ from, to }, interval);
  return Array.from({ length: count }, (_, place) => {
    const begin = first + place * width;
    return {
      begin,
      from: new Date(Math.max(begin, from.getTime())),
      to: new Date(Math.min(begin + width, to.getTime())),
    };
  });
}

async function answerTo(
  ask: Ask,
  { interval, groupBy, limit }: Pick<LatencyQuery, 'interval' | 'groupBy' | 'limit'>,
  slices: readonly Slice[],
  { times, sums, timesByGroup }: Statements,
): Promise<z.output<typeof LedgerLatency>> {
  const answer = { success: true as const, statusCode: 200 as const, interval };
  if (!groupBy) return { ...answer, intervals: toEveryInterval(slices, await ask(times)) };
  const found = await ask(sums(groupBy, limit + 1));
  const keys = found.slice(0, limit).map(({ key }) => key);
  const byGroup = Map.groupBy(await ask(timesByGroup({ groupBy, groups: keys })), ({ group }) => group);
  const intervals = toEveryInterval(slices, byGroup.get(null));
  const groups = keys.map((key) => ({
    key,
    intervals: byGroup.get(key)?.map((each) => toInterval(slices[each.place - 1]!, each)) ?? [],
  }));
  return { ...answer, intervals, groupBy, hasMore: found.length > limit, groups };
}

/** The statements of all projects leave out intervals without calls. */
function toEveryInterval(slices: readonly Slice[], found: readonly CallTimes[] = []) {
  const byPlace = new Map(found.map((times) => [times.place, times]));
  return slices.map((slice, at) => toInterval(slice, byPlace.get(at + 1) ?? WITHOUT_CALLS));
}

function toInterval(
  { begin }: Slice,
  { calls, failed, latencyMs, timeToFirstTokenMs }: Omit<CallTimes, 'place'>,
): z.output<typeof LatencyInterval> {
  return {
    from: new Date(begin).toISOString(),
    calls,
    failed,
    latencyMs: named(latencyMs),
    timeToFirstTokenMs: named(timeToFirstTokenMs),
  };
}

function named(percentiles: CallTimes['latencyMs']) {
  if (!percentiles) return null;
  const [p50, p95, p99] = percentiles;
  return { p50, p95, p99 };
}
