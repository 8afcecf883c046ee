import { Injectable } from '@nestjs/common';
import type { z } from 'zod';
import type { Id } from '../../../kernel/ids.js';
import type { Span } from '../../../kernel/spans.js';
import { Reads } from '../../../platform/database/reads.js';
import { CallRepository, type CallTimes } from '../call.repository.js';
import { ledgerErrors } from '../ledger.errors.js';
import { CallSearch } from './call-search.js';
import { callsWanted } from './calls-wanted.js';
import {
  INTERVAL_MS,
  type LatencyInterval,
  type LatencyQuery,
  type LedgerLatency,
  MAX_INTERVALS,
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
    const slices = slicesOf(wanted, INTERVAL_MS[query.interval]);
    const times = await this.reads.together(async (ask) =>
      ask(this.calls.percentiles(await this.search.matching(ask, wanted), slices)),
    );
    const intervals = times.map((found, place) => toInterval(slices[place]!, found));
    return { success: true, statusCode: 200, interval: query.interval, intervals };
  }
}

/** Cuts a window at whole hours or days in UTC. */
function slicesOf({ from, to }: Span, width: number): Slice[] {
  const [first, end] = [Math.floor(from.getTime() / width) * width, to.getTime()];
  const count = Math.ceil((end - first) / width);
  if (count > MAX_INTERVALS) throw ledgerErrors.tooManyIntervals({ count: String(count), most: String(MAX_INTERVALS) });
  return Array.from({ length: count }, (_, place) => {
    const begin = first + place * width;
    return {
      begin,
      from: new Date(Math.max(begin, from.getTime())),
      to: new Date(Math.min(begin + width, end)),
    };
  });
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
