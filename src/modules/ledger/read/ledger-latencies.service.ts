import { Injectable } from '@nestjs/common';
import type { z } from 'zod';
import type { Id } from '../../../kernel/ids.js';
import type { Span } from '../../../kernel/spans.js';
import { Reads } from '../../../platform/database/reads.js';
import { CallRepository, type CallTimes } from '../call.repository.js';
import { CallSearch } from './call-search.js';
import { callsWanted, filterOf } from './calls-wanted.js';
import { type Interval, intervalsOf } from './intervals.js';
import {
  type LatencyInterval,
  type LatencyOfAllQuery,
  type LatencyQuery,
  type LedgerLatency,
} from './ledger-latency.schema.js';

/** An hour or a day, and the part of it that lies in the window. */
interface Slice extends Span {
  begin: number;
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
    const times = await this.reads.together(async (ask) =>
      ask(this.calls.percentiles(await this.search.matching(ask, wanted), slices)),
    );
    return toLatency(query.interval, slices, times);
  }

  /** Computes percentiles and counts failed calls of all projects, hour by hour or day by day. */
  async ofAll(query: LatencyOfAllQuery): Promise<z.output<typeof LedgerLatency>> {
    const { fromDate: from, toDate: to, interval } = query;
    const slices = slicesOf({ from, to }, interval);
    return toLatency(interval, slices, await this.reads.one(this.calls.percentilesOfAll(filterOf(query), slices)));
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

function toLatency(interval: Interval, slices: readonly Slice[], times: readonly CallTimes[]) {
  const intervals = times.map((found, place) => toInterval(slices[place]!, found));
  return { success: true as const, statusCode: 200 as const, interval, intervals };
}

function toInterval({ begin }: Slice, { calls, failed, ...times }: CallTimes): z.output<typeof LatencyInterval> {
  return {
    from: new Date(begin).toISOString(),
    calls,
    failed,
    latencyMs: named(times.latencyMs),
    timeToFirstTokenMs: named(times.timeToFirstTokenMs),
  };
}

function named(percentiles: CallTimes['latencyMs']) {
  if (!percentiles) return null;
  const [p50, p95, p99] = percentiles;
  return { p50, p95, p99 };
}
