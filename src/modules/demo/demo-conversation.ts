import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { SYSTEM } from '../../kernel/actor.js';
import type { Id } from '../../kernel/ids.js';
import { Settings } from '../../platform/config/settings.js';
import { Database } from '../../platform/database/database.js';
import { Log } from '../../platform/telemetry/log.js';
import { type ChosenVersion, Turns } from '../agents/turns/turns.service.js';
import { ToolRuns } from '../tools/runs/tool-runs.service.js';

const MESSAGES = ['Hello! Is anybody there?', 'Good. Please remember my order 4711.'];
const ORDER = { orderId: '4711' };

interface DemoToShow {
  projectId: Id<'project'>;
  appId: Id<'app'>;
  /** The version that answers with the mock, also if another one becomes active before the messages are answered. */
  version: ChosenVersion;
  toolId: Id<'tool'>;
}

/** Lets a new demo have a session, its traces, calls of a model and a run of a tool, so that its pages are not empty. */
@Injectable()
export class DemoConversation implements BeforeApplicationShutdown {
  private readonly ending = new AbortController();
  private held: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly settings: Settings,
    private readonly database: Database,
    private readonly turns: Turns,
    private readonly toolRuns: ToolRuns,
    private readonly log: Log,
  ) {}

  /** Returns at once, because the start neither waits for what the demo shows nor fails with it. */
  begin(demo: DemoToShow): void {
    const parts = [this.attempt('run of its tool', () => this.run(demo))];
    if (this.settings.MODEL_MOCK === 'on') parts.push(this.attempt('first conversation', () => this.send(demo)));
    this.held = Promise.all(parts);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.ending.abort();
    await this.held;
  }

  private async attempt(part: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await this.database.apart(work);
    } catch (error) {
      // The process ends, which is no fault.
      if (this.ending.signal.aborted) return;
      this.log.warn({ err: error }, `The demo has no ${part}`);
    }
  }

  private run({ projectId, toolId }: DemoToShow): Promise<unknown> {
    const { signal } = this.ending;
    return this.toolRuns.run({ projectId, toolId, input: ORDER, idempotencyKey: 'demo', signal });
  }

  /** A turn without a sink sends no callback to the demo's receiver, which may not be running. */
  private send({ appId, version }: DemoToShow): Promise<void> {
    return this.database.transaction(SYSTEM, async (tx) => {
      const identity = { reference: 'demo-conversation', userReference: 'demo-user' };
      const like = { identity, source: 'AP', channel: 'api', sink: null, version };
      for (const input of MESSAGES) await this.turns.add(tx, appId, 'production', { ...like, input });
    });
  }
}
