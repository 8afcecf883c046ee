import { clock, HandlesJob, JobHandler, type JobRun, Settings } from 'slipway/plugin';
import { KnowledgeDocumentRepository } from './knowledge-document.repository.js';
import { deleteOldDocuments } from './knowledge.jobs.js';

const DAY_MS = 86_400_000;
const AT_A_TIME = 1_000;

/** Deletes documents when their days are over. The next run deletes those that are more than a run may delete. */
@HandlesJob(deleteOldDocuments)
export class DeleteOldDocuments extends JobHandler<object> {
  constructor(
    private readonly documents: KnowledgeDocumentRepository,
    private readonly settings: Settings,
  ) {
    super();
  }

  async run(job: JobRun<object>): Promise<void> {
    const moment = new Date(clock.now().getTime() - this.settings.ACME_KNOWLEDGE_DAYS * DAY_MS);
    await job.finish(async (tx) => {
      for (const document of await this.documents.olderThan(moment, AT_A_TIME)) tx.em.remove(document);
    });
  }
}
