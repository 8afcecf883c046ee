import type { EntityManager } from '@mikro-orm/postgresql';
import { Statements } from '../../platform/database/statements.js';
import { HandlesJob, JobHandler } from '../../platform/queue/job-handler.js';
import type { JobRun } from '../../platform/queue/job-run.js';
import {
  forgetBot,
  type MessageKey,
  proposeReply,
  summarizeConversation,
  type SummaryKey,
} from './agent-assist.jobs.js';
import { AssistanceService } from './assistance.service.js';
import { SummariesService } from './summaries.service.js';

@HandlesJob(summarizeConversation)
export class SummarizeConversation extends JobHandler<SummaryKey> {
  constructor(private readonly summaries: SummariesService) {
    super();
  }

  async run(job: JobRun<SummaryKey>): Promise<void> {
    const summary = await this.summaries.make(job.data, job.signal);
    await job.finish(async (em) => {
      if (summary) await this.summaries.keep(em, job.data, summary);
    });
  }

  /** The model did not answer. What was asked for was a summary, so there is one. */
  override async gaveUp(em: EntityManager, key: SummaryKey): Promise<void> {
    const summary = await this.summaries.extract(key);
    if (summary) await this.summaries.keep(em, key, summary);
  }
}

@HandlesJob(proposeReply)
export class ProposeReply extends JobHandler<MessageKey> {
  constructor(private readonly assistance: AssistanceService) {
    super();
  }

  async run(job: JobRun<MessageKey>): Promise<void> {
    const text = await this.assistance.propose(job.data, job.signal);
    await job.finish(async (em) => {
      if (text !== null) await this.assistance.keep(em, job.data, text);
    });
  }
}

/** Few enough that nobody waits long for what one statement holds. */
const CONVERSATIONS_AT_ONCE = 20;

@HandlesJob(forgetBot)
export class ForgetBot extends JobHandler<{ botId: string }> {
  constructor(private readonly statements: Statements) {
    super();
  }

  async run(job: JobRun<{ botId: string }>): Promise<void> {
    for (let some = 1; some > 0;) {
      job.signal.throwIfAborted();
      const gone = await this.statements.run(
        `delete from assist_conversation where bot_id = $1 and id = any(array(
           select id from assist_conversation where bot_id = $1 limit $2)) returning id`,
        [job.data.botId, CONVERSATIONS_AT_ONCE],
      );
      some = gone.length;
    }
    await job.finish();
  }
}
