import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { MINUTE_MS } from '../../kernel/spans.js';
import type { McpSession } from './client/mcp-session.js';

const MAX_SESSIONS = 1_000;
const IDLE_MS = 10 * MINUTE_MS;
const LOOK_EVERY_MS = MINUTE_MS;

interface Kept {
  session: McpSession;
  /** The calls that are under way. */
  calls: number;
  usedAt: number;
}

/**
 * The sessions with MCP servers that this process has opened. Processes do not share them, because their ids are as good
 * as credentials, and because a server may end a session at any time: its state is never something to rely on. A server
 * is told when a session ends, so that it need not keep the state of one that is not used again.
 */
@Injectable()
export class KeptSessions implements OnApplicationBootstrap, OnApplicationShutdown {
  /** In the order of their last use. */
  private readonly sessions = new Map<string, Kept>();
  private timer: NodeJS.Timeout | undefined;

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => this.endIdle(performance.now()), LOOK_EVERY_MS).unref();
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    const all = [...this.sessions.values()];
    this.sessions.clear();
    await Promise.all(all.map(({ session }) => session.close()));
  }

  /** Does the work in the session with this name, which is made if it is not there. */
  async use<Result>(
    name: string,
    make: () => McpSession,
    work: (session: McpSession) => Promise<Result>,
  ): Promise<Result> {
    const kept = this.sessions.get(name) ?? { session: make(), calls: 0, usedAt: 0 };
    kept.calls += 1;
    this.touch(name, kept);
    try {
      return await work(kept.session);
    } finally {
      kept.calls -= 1;
      // A session that has ended meanwhile is not kept again.
      if (this.sessions.get(name) === kept) this.touch(name, kept);
    }
  }

  /** Ends the sessions that were idle for ten minutes, and the oldest ones if there are too many. */
  endIdle(now: number): void {
    for (const [name, { session, calls, usedAt }] of this.sessions) {
      if (now - usedAt < IDLE_MS && this.sessions.size <= MAX_SESSIONS) return;
      if (calls > 0) continue;
      this.sessions.delete(name);
      void session.close();
    }
  }

  private touch(name: string, kept: Kept): void {
    kept.usedAt = performance.now();
    this.sessions.delete(name);
    this.sessions.set(name, kept);
    this.endIdle(kept.usedAt);
  }
}
