import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { Injectable, StreamableFile } from '@nestjs/common';
import { z } from 'zod';
import { exampleOf } from '../../kernel/schema-example.js';
import type { Id } from '../../kernel/ids.js';
import { Database } from '../../platform/database/database.js';
import type { Answer } from '../../platform/route/answer.js';
import { Dock } from './dock.service.js';
import { DockJobView } from './dock.schema.js';

const LOOKED_EVERY_MS = 300;
/** Proxies close what says nothing for longer. */
const SIGN_EVERY_MS = 15_000;

/** The progress of a dock job as server-sent events. */
export const dockEvents: Answer<StreamableFile> = {
  schema: z.string().meta({ examples: [`event: progress\ndata: ${JSON.stringify(exampleOf(DockJobView))}\n\n`] }),
  result: z.instanceof(StreamableFile),
  contentType: 'text/event-stream; charset=utf-8',
  wrap: (result) => result,
};

/** Watches the row: whichever process does the work, whoever watches sees it here. */
@Injectable()
export class DockEvents {
  constructor(
    private readonly dock: Dock,
    private readonly database: Database,
  ) {}

  /** Refuses what is not there before the stream begins. */
  async of(projectId: Id<'project'>, dockJobId: Id<'dockJob'>, signal: AbortSignal): Promise<StreamableFile> {
    await this.dock.read(projectId, dockJobId);
    const events = Readable.from(this.watch(projectId, dockJobId, signal));
    // Nest would end the answer as if it were whole.
    return new StreamableFile(events, { type: dockEvents.contentType! })
      .setErrorHandler((_error, response) => void (response as unknown as ServerResponse).destroy())
      .setErrorLogger(() => undefined);
  }

  private async *watch(
    projectId: Id<'project'>,
    dockJobId: Id<'dockJob'>,
    signal: AbortSignal,
  ): AsyncGenerator<string> {
    let last = '';
    let saidAt = performance.now();
    for (;;) {
      const job = await this.database.apart(() => this.dock.read(projectId, dockJobId));
      const { response, ...state } = this.dock.view(job);
      const seen = JSON.stringify(state);
      if (seen !== last) {
        const name = job.isOver ? 'end' : 'progress';
        yield `event: ${name}\ndata: ${JSON.stringify({ ...state, ...(response && { response }) })}\n\n`;
        saidAt = performance.now();
        last = seen;
      } else if (performance.now() - saidAt > SIGN_EVERY_MS) {
        yield ': still there\n\n';
        saidAt = performance.now();
      }
      if (job.isOver) return;
      // Ends with the request: its client left, or its key was revoked.
      await wait(LOOKED_EVERY_MS, undefined, { signal });
    }
  }
}
