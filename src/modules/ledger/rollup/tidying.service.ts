import { Injectable } from '@nestjs/common';
import { clock } from '../../../kernel/clock.js';
import { DAY_MS } from '../../../kernel/spans.js';
import { Database } from '../../../platform/database/database.js';
import { CallRepository } from '../call.repository.js';
import { Partitions } from '../write/partitions.js';

const SUMS_AT_ONCE = 20_000;
/** The time before the beginning of a month at which its partition is created. */
const AHEAD_MS = 31 * DAY_MS;

/**
 * Keeps the ledger fast: it creates partitions ahead of time and compacts the rollup. Answers are correct without it,
 * but slower, because writers create missing partitions themselves and readers sum appended rows.
 */
@Injectable()
export class Tidying {
  constructor(
    private readonly database: Database,
    private readonly calls: CallRepository,
    private readonly partitions: Partitions,
  ) {}

  async tidy(signal: AbortSignal): Promise<void> {
    const now = clock.now();
    await this.partitions.ensure([now, new Date(now.getTime() + AHEAD_MS)]);
    for (let taken = SUMS_AT_ONCE; taken >= SUMS_AT_ONCE && !signal.aborted;) taken = await this.compact();
  }

  compact(): Promise<number> {
    return this.database.ask(this.calls.compactRollup(SUMS_AT_ONCE));
  }
}
