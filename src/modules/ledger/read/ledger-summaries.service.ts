import { Injectable } from '@nestjs/common';
import type { z } from 'zod';
import type { Id } from '../../../kernel/ids.js';
import { Reads } from '../../../platform/database/reads.js';
import { CallRepository, type GroupSums } from '../call.repository.js';
import { CallSearch } from './call-search.js';
import { callsWanted } from './calls-wanted.js';
import type { Group, LedgerSummary, SummaryQuery } from './ledger-summary.schema.js';

@Injectable()
export class LedgerSummaries {
  constructor(
    private readonly reads: Reads,
    private readonly search: CallSearch,
    private readonly calls: CallRepository,
  ) {}

  /** Sums calls, tokens and costs by day, model or another member. */
  async summary(projectId: Id<'project'>, query: SummaryQuery): Promise<z.output<typeof LedgerSummary>> {
    const { groupBy, limit } = query;
    const wanted = callsWanted(projectId, query);
    const sums = await this.reads.together(async (ask) => {
      const matching = await this.search.matching(ask, wanted);
      return ask(this.calls.sumsByGroup(matching, groupBy, limit + 1));
    });
    const groups = sums.slice(0, limit).map(toGroup);
    return { success: true, statusCode: 200, groupBy, hasMore: sums.length > limit, groups };
  }
}

function toGroup({ latencyMs, ...sums }: GroupSums): z.output<typeof Group> {
  const outputTokens = sums.completionTokens + sums.reasoningTokens;
  const totalTokens = sums.inputTokens + outputTokens;
  return { ...sums, outputTokens, totalTokens, averageLatencyMs: Math.round(latencyMs / sums.calls) };
}
