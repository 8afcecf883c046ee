import type { EntityManager } from '@mikro-orm/postgresql';
import { Statements } from '../../platform/database/statements.js';
import { HandlesJob, JobHandler } from '../../platform/queue/job-handler.js';
import type { JobRun } from '../../platform/queue/job-run.js';
import { type BotKey, type EventKey, forgetBot, proposeReply, summarizeConversation } from './agent-assist.jobs.js';
import { AssistanceService } from './assistance.service.js';
import { SummariesService } from './summaries.service.js';

@HandlesJob(summarizeConversation)
export class SummarizeConversation extends JobHandler<EventKey> {
  constructor(private readonly summaries: SummariesService) {
    super();
  }

  async run(job: JobRun<EventKey>): Promise<void> {
    const summary = await this.summaries.make(job.data, job.signal);
    await job.finish(async (em) => {
      if (summary) await this.summaries.keep(em, job.data, summary);
    });
  }

  /** The model did not answer. What was asked for was a summary, so there is one. */
  override async gaveUp(em: EntityManager, key: EventKey): Promise<void> {
    const summary = await this.summaries.extract(key);
    if (summary) await this.summaries.keep(em, key, summary);
  }
}

@HandlesJob(proposeReply)
export class ProposeReply extends JobHandler<EventKey> {
  constructor(private readonly assistance: AssistanceService) {
    super();
  }

  async run(job: JobRun<EventKey>): Promise<void> {
    const text = await this.assistance.propose(job.data, job.signal);
    await job.finish(async (em) => {
      if (text !== null) await this.assistance.keep(em, job.data, text);
    });
  }
}

/** Few enough that nobody waits long for what one statement holds. */
const CONVERSATIONS_AT_ONCE = 20;

@HandlesJob(forgetBot)
export class ForgetBot extends JobHandler<BotKey> {
  constructor(private readonly statements: Statements) {
    super();
  }

  async run(job: JobRun<BotKey>): Promise<void> {
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
