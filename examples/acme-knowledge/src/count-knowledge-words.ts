import { Database, HandlesJob, type Id, JobHandler, type JobRun } from 'slipway/plugin';
import { KnowledgeBase } from './knowledge-base.entity.js';
import { KnowledgeDocumentRepository } from './knowledge-document.repository.js';
import { countKnowledgeWords } from './knowledge.jobs.js';

const AT_A_TIME = 100;

interface Counting {
  knowledgeBaseId: Id<'knowledgeBase'>;
}

/** If the process dies, the next attempt goes on behind the document that was counted last. */
@HandlesJob(countKnowledgeWords)
export class CountKnowledgeWords extends JobHandler<Counting> {
  constructor(
    private readonly database: Database,
    private readonly documents: KnowledgeDocumentRepository,
  ) {
    super();
  }

  async run(job: JobRun<Counting>): Promise<void> {
    const { knowledgeBaseId: id } = job.data;
    let { words = 0, last = '' } = (job.progress ?? {}) as { words?: number; last?: string };
    for (;;) {
      job.signal.throwIfAborted();
      const next = await this.database.ask(this.documents.following(id, last, AT_A_TIME));
      if (next.length === 0) break;
      for (const { text } of next) words += text.split(/\s+/).length;
      last = next.at(-1)!.id;
      await job.report({ words, last });
    }
    await job.finish(async (tx) => {
      const base = await tx.em.findOne(KnowledgeBase, { id });
      if (base) base.words = words;
    });
  }
}
