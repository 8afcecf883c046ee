import type { EntityManager } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import { HandlesJob, JobHandler } from '../../platform/queue/job-handler.js';
import type { JobRun } from '../../platform/queue/job-run.js';
import { takeTurn } from './agents.jobs.js';
import type { Failure } from './turn.js';
import { TurnEndings } from './turn-endings.service.js';
import { TurnWork } from './turn-work.service.js';

/** Why a turn is broken off from outside, as its job is given the reason. */
export const BROKEN_OFF: Record<string, Failure> = {
  SESSION_TERMINATED: { code: 'SESSION_TERMINATED', message: 'The session ended before the answer.' },
  CLIENT_LEFT: { code: 'CLIENT_LEFT', message: 'Whoever waited for the answer went away.' },
};

const GAVE_UP: Failure = { code: 'TURN_FAILED', message: 'The turn failed on our side, more than once.' };

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
    await this.endings.finish(em, runId, { failure: BROKEN_OFF[reason] ?? GAVE_UP }, 0);
  }
}
