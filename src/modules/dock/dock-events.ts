import { isDeepStrictEqual } from 'node:util';
import { Injectable, type StreamableFile } from '@nestjs/common';
import { exampleOf } from '../../kernel/schema-example.js';
import type { KeyActor } from '../../kernel/actor.js';
import type { Id } from '../../kernel/ids.js';
import { Database } from '../../platform/database/database.js';
import { Notifications } from '../../platform/redis/notifications.js';
import { events, eventStream, toEvent } from '../../platform/route/event-stream.js';
import { type DockNotification, isEnding, topicOf } from './dock-job.entity.js';
import { Dock } from './dock.service.js';
import { DockJobView } from './dock.schema.js';

/** After this time without an event, a comment is sent, because proxies close streams that are silent. */
const QUIET_MS = 10_000;

/** The progress of a dock job as server-sent events. */
export const dockEvents = events(toEvent(exampleOf(DockJobView) as object, 'progress'));

/** Follows dock jobs. The process that does the work sends notifications of its progress and of its end. */
@Injectable()
export class DockEvents {
  constructor(
    private readonly dock: Dock,
    private readonly database: Database,
    private readonly notifications: Notifications,
  ) {}

  /** Reads the dock job before the stream begins, so that an unknown one is answered 404. */
  async of(actor: KeyActor, dockJobId: Id<'dockJob'>, signal: AbortSignal): Promise<StreamableFile> {
    await this.dock.read(actor.projectId, dockJobId);
    return eventStream(this.watch(actor, dockJobId, signal));
  }

  private async *watch(actor: KeyActor, dockJobId: Id<'dockJob'>, signal: AbortSignal): AsyncGenerator<string> {
    let seen: DockJobView | undefined;
    let sentAt = performance.now();
    // The signal ends the stream when the client leaves or its key is revoked.
    for await (const mailbox of this.notifications.follow<DockNotification>(topicOf(dockJobId), { signal })) {
      const latest = mailbox.all().at(-1);
      const progress = latest && !isEnding(latest) ? latest : undefined;
      const mustLook = mailbox.mustLook() || seen === undefined || (latest && !progress);
      const view: DockJobView = mustLook ? await this.readView(actor, dockJobId) : { ...seen!, ...progress };
      const isOver = view.status !== 'IN_PROGRESS';
      if (differ(view, seen)) {
        yield toEvent(view, isOver ? 'end' : 'progress');
        sentAt = performance.now();
      } else if (performance.now() - sentAt > QUIET_MS) {
        yield ': still there\n\n';
        sentAt = performance.now();
      }
      if (isOver) return;
      seen = view;
    }
  }

  private async readView(actor: KeyActor, dockJobId: Id<'dockJob'>): Promise<DockJobView> {
    const job = await this.database.apart(() => this.dock.read(actor.projectId, dockJobId));
    return this.dock.viewFor(actor, job);
  }
}

/** Compares all but the response, because its link is a new one each time. */
function differ(view: DockJobView, seen: DockJobView | undefined): boolean {
  const { response: _, ...state } = view;
  const { response: __, ...before } = seen ?? {};
  return !isDeepStrictEqual(state, before);
}
