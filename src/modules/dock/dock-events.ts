import { Injectable, StreamableFile } from '@nestjs/common';
import { z } from 'zod';
import { exampleOf } from '../../kernel/schema-example.js';
import type { KeyActor } from '../../kernel/actor.js';
import type { Id } from '../../kernel/ids.js';
import { Database } from '../../platform/database/database.js';
import { Notices } from '../../platform/redis/notices.js';
import type { Answer } from '../../platform/route/answer.js';
import { EVENT_STREAM, eventStream, toEvent } from '../../platform/route/event-stream.js';
import { topicOf } from './dock-job.entity.js';
import { Dock } from './dock.service.js';
import { DockJobView } from './dock.schema.js';

/** Proxies close what says nothing for longer. */
const SIGN_EVERY_MS = 15_000;

/** The progress of a dock job as server-sent events. */
export const dockEvents: Answer<StreamableFile> = {
  schema: z.string().meta({ examples: [toEvent(exampleOf(DockJobView) as object, 'progress')] }),
  result: z.instanceof(StreamableFile),
  contentType: EVENT_STREAM,
  wrap: (result) => result,
};

/** Whichever process does the work: it tells when to look at the row. */
@Injectable()
export class DockEvents {
  constructor(
    private readonly dock: Dock,
    private readonly database: Database,
    private readonly notices: Notices,
  ) {}

  /** Refuses what is not there before the stream begins. */
  async of(actor: KeyActor, dockJobId: Id<'dockJob'>, signal: AbortSignal): Promise<StreamableFile> {
    await this.dock.read(actor.projectId, dockJobId);
    return eventStream(this.watch(actor, dockJobId, signal));
  }

  private async *watch(actor: KeyActor, dockJobId: Id<'dockJob'>, signal: AbortSignal): AsyncGenerator<string> {
    let last = '';
    let saidAt = performance.now();
    // Ends with the request: its client left, or its key was revoked.
    for await (const _ of this.notices.follow(topicOf(dockJobId), { signal })) {
      const job = await this.database.apart(() => this.dock.read(actor.projectId, dockJobId));
      const { response, ...state } = this.dock.viewFor(actor, job);
      const seen = JSON.stringify(state);
      if (seen !== last) {
        yield toEvent({ ...state, ...(response && { response }) }, job.isOver ? 'end' : 'progress');
        saidAt = performance.now();
        last = seen;
      } else if (performance.now() - saidAt > SIGN_EVERY_MS) {
        yield ': still there\n\n';
        saidAt = performance.now();
      }
      if (job.isOver) return;
    }
  }
}
