import type { Transaction } from '../../platform/database/transaction.js';
import { Database } from '../../platform/database/database.js';
import { HandlesJob, JobHandler } from '../../platform/queue/job-handler.js';
import type { JobRun } from '../../platform/queue/job-run.js';
import { type BotKey, type EventKey, forgetBot, proposeReply, summarizeConversation } from './agent-assist.jobs.js';
import { AssistanceService } from './assistance.service.js';
import { ConversationRepository } from './conversation.repository.js';
import { SummariesService } from './summaries.service.js';

@HandlesJob(summarizeConversation)
export class SummarizeConversation extends JobHandler<EventKey> {
  constructor(private readonly summaries: SummariesService) {
    super();
  }

  async run(job: JobRun<EventKey>): Promise<void> {
    const summary = await this.summaries.make(job.data, job.signal);
    await job.finish(async (tx) => {
      if (summary) await this.summaries.keep(tx, job.data, summary);
    });
  }

  override async lock(tx: Transaction, key: EventKey): Promise<void> {
    await this.summaries.lock(tx, key);
  }

  /**
   * Falls back to a summary that is extracted from the conversation when the job has failed, mostly because the model
   * did not answer.
   */
  override async onFailed(tx: Transaction, key: EventKey): Promise<void> {
    const summary = await this.summaries.extract(key);
    if (summary) await this.summaries.keep(tx, key, summary);
  }
}

@HandlesJob(proposeReply)
export class ProposeReply extends JobHandler<EventKey> {
  constructor(private readonly assistance: AssistanceService) {
    super();
  }

  async run(job: JobRun<EventKey>): Promise<void> {
    const text = await this.assistance.propose(job.data, job.signal);
    await job.finish(async (tx) => {
      if (text !== null) await this.assistance.keep(tx, job.data, text);
    });
  }
}

/** The number is small, so that other transactions do not wait long for rows that one statement has locked. */
const CONVERSATIONS_AT_ONCE = 20;

@HandlesJob(forgetBot)
export class ForgetBot extends JobHandler<BotKey> {
  constructor(
    private readonly database: Database,
    private readonly conversations: ConversationRepository,
  ) {
    super();
  }

  async run(job: JobRun<BotKey>): Promise<void> {
    for (let deleted = 1; deleted > 0;) {
      job.signal.throwIfAborted();
      deleted = await this.database.ask(this.conversations.deleteSome(job.data.botId, CONVERSATIONS_AT_ONCE));
    }
    await job.finish();
  }
}
