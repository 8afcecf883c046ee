import { Injectable } from '@nestjs/common';
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
export class DemoConversation {
  constructor(
    private readonly settings: Settings,
    private readonly database: Database,
    private readonly turns: Turns,
    private readonly toolRuns: ToolRuns,
    private readonly log: Log,
  ) {}

  /** Returns at once, because the start neither waits for what the demo shows nor fails with it. */
  begin(demo: DemoToShow): void {
    void this.database
      .apart(() => this.hold(demo))
      .catch((error: unknown) => this.log.warn({ err: error }, 'The demo has no conversation to look at'));
  }

  private async hold({ projectId, appId, version, toolId }: DemoToShow): Promise<void> {
    if (this.settings.MODEL_MOCK === 'on') await this.send(appId, version);
    const { signal } = new AbortController();
    await this.toolRuns.run({ projectId, toolId, input: ORDER, idempotencyKey: 'demo', signal });
  }

  /** A turn without a sink sends no callback, which matters because the demo's receiver need not listen yet. */
  private async send(appId: Id<'app'>, version: ChosenVersion): Promise<void> {
    await this.database.transaction(SYSTEM, async (tx) => {
      const identity = { reference: 'demo-conversation', userReference: 'demo-user' };
      const like = { identity, source: 'AP', channel: 'api', sink: null, version };
      for (const input of MESSAGES) await this.turns.add(tx, appId, 'production', { ...like, input });
    });
  }
}
