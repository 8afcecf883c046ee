import { Injectable } from '@nestjs/common';
import { Ends } from '../../kernel/ends.js';
import type { Id } from '../../kernel/ids.js';
import { type Run, RunStore } from './run-store.js';

@Injectable()
export class RunEnds extends Ends<Id<'run'>, Run | null> {
  constructor(private readonly runs: RunStore) {
    super();
  }

  protected read(runId: Id<'run'>): Promise<Run | null> {
    return this.runs.byId(runId);
  }

  protected isOver(run: Run | null): boolean {
    return run?.state !== 'running';
  }
}
