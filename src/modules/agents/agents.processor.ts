import type { EntityManager } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import { HandlesJob, JobHandler } from '../../platform/queue/job-handler.js';
import type { JobRun } from '../../platform/queue/job-run.js';
import { takeTurn } from './agents.jobs.js';
import { CLIENT_LEFT, type Failure, SESSION_ENDED } from './turn.js';
import { TurnEndings } from './turn-endings.service.js';
import { TurnWork } from './turn-work.service.js';

const GAVE_UP: Failure = {
  code: 'TURN_FAILED',
  message: 'The turn failed on our side, more than once. Send the message again; the log says why it failed.',
};

@HandlesJob(takeTurn)
export class TakeTurn extends JobHandler<{ runId: Id<'run'> }> {
  constructor(
    private readonly work: TurnWork,
    private readonly endings: TurnEndings,
  ) {
    super();
  }

  async run(job: JobRun<{ runId: Id<'run'> }>): Promise<void> {
    await this.work.take(job);
  }

  override async gaveUp(em: EntityManager, { runId }: { runId: Id<'run'> }, reason: string): Promise<void> {
    const brokenOff = [SESSION_ENDED, CLIENT_LEFT].find(({ code }) => code === reason);
    await this.endings.giveUp(em, runId, brokenOff ?? GAVE_UP);
  }
}
