import { clock } from '../../kernel/clock.js';
import { SlipwayError } from '../../kernel/errors.js';
import type { Id } from '../../kernel/ids.js';
import { MINUTE_MS } from '../../kernel/spans.js';
import { Settings } from '../../platform/config/settings.js';
import type { Transaction } from '../../platform/database/transaction.js';
import { HandlesJob, JobHandler } from '../../platform/queue/job-handler.js';
import type { JobRun } from '../../platform/queue/job-run.js';
import { SessionCounting } from './list/counting.service.js';
import { SessionEnding } from './ending.service.js';
import { sessionsErrors } from './sessions.errors.js';
import { ErasureService } from './erasure/erasure.service.js';
import { closeSession, countSessions, eraseUser, expireSessions, type UserToErase } from './sessions.jobs.js';

const AT_A_TIME = 50;

@HandlesJob(closeSession)
export class CloseSession extends JobHandler<{ sessionId: Id<'session'> }> {
  constructor(private readonly ending: SessionEnding) {
    super();
  }

  /** A session that has been deleted in the meantime has no memory to close. */
  async run({ data }: JobRun<{ sessionId: Id<'session'> }>): Promise<void> {
    await this.ending.close(data.sessionId).catch((error: unknown) => {
      if (!(error instanceof SlipwayError) || error.spec !== sessionsErrors.sessionNotFound.spec) throw error;
    });
  }
}

@HandlesJob(expireSessions)
export class ExpireSessions extends JobHandler<object> {
  constructor(
    private readonly ending: SessionEnding,
    private readonly settings: Settings,
  ) {
    super();
  }

  async run({ signal }: JobRun<object>): Promise<void> {
    const since = new Date(clock.now().getTime() - this.settings.SESSION_IDLE_MINUTES * MINUTE_MS);
    while (!signal.aborted && (await this.ending.expireSome(since, AT_A_TIME)) === AT_A_TIME);
  }
}

@HandlesJob(countSessions)
export class CountSessions extends JobHandler<object> {
  constructor(private readonly counting: SessionCounting) {
    super();
  }

  async run({ signal }: JobRun<object>): Promise<void> {
    await this.counting.count(signal);
  }
}

@HandlesJob(eraseUser)
export class EraseUser extends JobHandler<UserToErase> {
  constructor(private readonly erasure: ErasureService) {
    super();
  }

  async run(job: JobRun<UserToErase>): Promise<void> {
    await this.erasure.erase(job);
  }

  override async lock(tx: Transaction, { userId }: UserToErase): Promise<void> {
    await this.erasure.lock(tx, userId);
  }

  override async onFailed(tx: Transaction, { userId }: UserToErase): Promise<void> {
    await this.erasure.fail(tx, userId);
  }
}
