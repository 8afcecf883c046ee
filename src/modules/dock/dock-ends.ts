import { Injectable } from '@nestjs/common';
import { Ends } from '../../kernel/ends.js';
import type { Id } from '../../kernel/ids.js';
import type { DockJob } from './dock-job.entity.js';
import { DockJobRepository } from './dock-job.repository.js';

@Injectable()
export class DockEnds extends Ends<Id<'dockJob'>, DockJob | null> {
  constructor(private readonly dockJobs: DockJobRepository) {
    super();
  }

  protected read(dockJobId: Id<'dockJob'>): Promise<DockJob | null> {
    return this.dockJobs.byId(dockJobId);
  }

  protected isOver(dockJob: DockJob | null): boolean {
    return dockJob?.isOver ?? true;
  }
}
