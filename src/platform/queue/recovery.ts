import { Inject, Injectable } from '@nestjs/common';
import { jobDefinitions } from './job-definition.js';
import { LineStore } from './line-store.js';
import { RecoveryStore } from './recovery-store.js';
import { WORKER_LINES } from './worker-statements.js';

const LANES_A_LOOK = 1_000;

/** Puts right what dead processes and unlucky moments leave behind. Every worker does, once a second. */
@Injectable()
export class Recovery {
  private lookedUpTo = '';

  constructor(
    private readonly store: RecoveryStore,
    @Inject(WORKER_LINES) private readonly lines: LineStore,
  ) {}

  async look(): Promise<void> {
    await this.store.takeBack();
    await this.serveLanes();
    await this.store.keepRecurring(jobDefinitions());
  }

  /** Lanes whose place nobody gave away: the process died between its commit and that, or two were too polite. */
  private async serveLanes(): Promise<void> {
    const { lanes, last } = await this.lines.neglected(this.lookedUpTo, LANES_A_LOOK);
    this.lookedUpTo = last;
    const failures: unknown[] = [];
    for (const lane of lanes) await this.lines.serve(lane).catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw new AggregateError(failures, 'Lanes could not be served');
  }
}
