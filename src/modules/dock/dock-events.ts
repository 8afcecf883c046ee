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

/** A turn without news says so where it has been quiet for longer: proxies close what says nothing. */
const QUIET_MS = 10_000;

/** The progress of a dock job as server-sent events. */
export const dockEvents = events(toEvent(exampleOf(DockJobView) as object, 'progress'));

/** Whichever process does the work: it tells how far it is, and at its end to look at the row. */
@Injectable()
export class DockEvents {
  constructor(
    private readonly dock: Dock,
    private readonly database: Database,
    private readonly notifications: Notifications,
  ) {}

  /** Refuses what is not there before the stream begins. */
  async of(actor: KeyActor, dockJobId: Id<'dockJob'>, signal: AbortSignal): Promise<StreamableFile> {
    await this.dock.read(actor.projectId, dockJobId);
    return eventStream(this.watch(actor, dockJobId, signal));
  }

  private async *watch(actor: KeyActor, dockJobId: Id<'dockJob'>, signal: AbortSignal): AsyncGenerator<string> {
    let seen: DockJobView | undefined;
    let saidAt = performance.now();
    // Ends with the request: its client left, or its key was revoked.
    for await (const heard of this.notifications.follow<DockNotification>(topicOf(dockJobId), {
      signal,
      isStream: true,
    })) {
      const told = heard.all().at(-1);
      const progress = told && !isEnding(told) ? told : undefined;
      const mustLook = heard.mustLook() || seen === undefined || (told && !progress);
      const view: DockJobView = mustLook ? await this.look(actor, dockJobId) : { ...seen!, ...progress };
      const isOver = view.status !== 'IN_PROGRESS';
      if (differ(view, seen)) {
        yield toEvent(view, isOver ? 'end' : 'progress');
        saidAt = performance.now();
      } else if (performance.now() - saidAt > QUIET_MS) {
        yield ': still there\n\n';
        saidAt = performance.now();
      }
      if (isOver) return;
      seen = view;
    }
  }

  private async look(actor: KeyActor, dockJobId: Id<'dockJob'>): Promise<DockJobView> {
    const job = await this.database.apart(() => this.dock.read(actor.projectId, dockJobId));
    return this.dock.viewFor(actor, job);
  }
}

/** The link in it is another one each time. */
function differ(view: DockJobView, seen: DockJobView | undefined): boolean {
  const { response: _, ...state } = view;
  const { response: __, ...before } = seen ?? {};
  return !isDeepStrictEqual(state, before);
}
