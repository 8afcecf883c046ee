import type { Transaction } from '../../platform/database/transaction.js';
import { HandlesJob, JobHandler } from '../../platform/queue/job-handler.js';
import type { JobRun } from '../../platform/queue/job-run.js';
import { takeTurn, type TurnData } from './agents.jobs.js';
import { CLIENT_LEFT, type Failure, SESSION_ENDED } from './turns/turn.js';
import { TurnEndings } from './turns/turn-endings.service.js';
import { TurnWork } from './turns/turn-work.service.js';

const ATTEMPTS_EXHAUSTED: Failure = {
  code: 'TURN_FAILED',
  message: 'The turn failed on our side, more than once. Send the message again; the log says why it failed.',
};

@HandlesJob(takeTurn)
export class TakeTurn extends JobHandler<TurnData> {
  constructor(
    private readonly work: TurnWork,
    private readonly endings: TurnEndings,
  ) {
    super();
  }

  async run(job: JobRun<TurnData>): Promise<void> {
    await this.work.take(job);
  }

  override async lock(tx: Transaction, { runId }: TurnData): Promise<void> {
    await this.endings.lock(tx, runId);
  }

  override async onFailed(tx: Transaction, { runId }: TurnData, reason: string): Promise<void> {
    const cancellation = [SESSION_ENDED, CLIENT_LEFT].find(({ code }) => code === reason);
    await this.endings.fail(tx, runId, cancellation ?? ATTEMPTS_EXHAUSTED);
  }
}
