import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { collect } from './collect.js';

const LOOK_EVERY_MS = 10_000;

/** A process that computes for less than this part of the time is idle. An idle worker computes for about 1 %. */
const IDLE_BELOW = 0.05;

/** Less garbage than this is not worth the pause of a collection, which takes 0.2 to 0.5 seconds. */
const WORTHWHILE_BYTES = 48 * 1024 * 1024;

/**
 * Collects the whole heap when the process becomes idle. V8 collects only while something is allocated, so without this
 * a process keeps the garbage of its last work for as long as it is idle. A worker that had drained its jobs had 717 MiB,
 * and 217 MiB after a collection.
 */
@Injectable()
export class IdleCollection implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private since = performance.eventLoopUtilization();
  /** The resident memory after the last collection. The start leaves garbage too, so there is none at first. */
  private collectedBytes = 0;

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => this.look(), LOOK_EVERY_MS).unref();
  }

  beforeApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  private look(): void {
    const { since } = this;
    this.since = performance.eventLoopUtilization();
    if (performance.eventLoopUtilization(this.since, since).utilization > IDLE_BELOW) return;
    if (process.memoryUsage.rss() < this.collectedBytes + WORTHWHILE_BYTES) return;
    // Only this flavor returns the memory to the system; the others keep the pages for further objects.
    collect({ type: 'major', flavor: 'last-resort' });
    this.collectedBytes = process.memoryUsage.rss();
  }
}
