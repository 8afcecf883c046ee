import { Injectable } from '@nestjs/common';
import { Settings } from '../../platform/config/settings.js';
import type { Transaction } from '../../platform/database/transaction.js';
import { HandlesJob, JobHandler } from '../../platform/queue/job-handler.js';
import type { JobRun } from '../../platform/queue/job-run.js';
import { Jobs } from '../../platform/queue/jobs.js';
import { Turns } from '../agents/turns/turns.service.js';
import { ToolRuns } from '../tools/runs/tool-runs.service.js';
import { WELCOME } from './demo-model.js';
import { beginConversation, type ConversationToBegin, runDemoTool, type ToolToRun } from './demo.jobs.js';

const MESSAGES = ['Hello! Is anybody there?', 'Good. Please remember my order 4711.'];
const ORDER = { orderId: '4711' };

/** Lets a new demo have a session, its traces, calls of a model and a run of a tool, so that its pages are not empty. */
@Injectable()
export class DemoConversation {
  constructor(
    private readonly settings: Settings,
    private readonly jobs: Jobs,
  ) {}

  /** Adds jobs, because the start neither waits for what the demo shows nor fails with it. */
  async add(tx: Transaction, { appId, versionId, projectId, toolId }: ConversationToBegin & ToolToRun): Promise<void> {
    await this.jobs.add(tx, runDemoTool, { projectId, toolId }, { projectId });
    if (this.settings.MODEL_MOCK === 'on')
      await this.jobs.add(tx, beginConversation, { appId, versionId }, { projectId });
  }
}

@HandlesJob(beginConversation)
export class BeginConversation extends JobHandler<ConversationToBegin> {
  constructor(private readonly turns: Turns) {
    super();
  }

  /** A turn without a sink sends no callback to the demo's receiver, which may not be running. */
  async run(job: JobRun<ConversationToBegin>): Promise<void> {
    const { appId, versionId } = job.data;
    const identity = { reference: 'demo-conversation', userReference: 'demo-user' };
    const version = { versionId, welcomeMessage: WELCOME };
    const like = { identity, source: 'AP', channel: 'api', sink: null, version };
    await job.finish(async (tx) => {
      for (const input of MESSAGES) await this.turns.add(tx, appId, 'production', { ...like, input });
    });
  }
}

@HandlesJob(runDemoTool)
export class RunDemoTool extends JobHandler<ToolToRun> {
  constructor(private readonly toolRuns: ToolRuns) {
    super();
  }

  async run(job: JobRun<ToolToRun>): Promise<void> {
    await this.toolRuns.run({ ...job.data, input: ORDER, idempotencyKey: 'demo', signal: job.signal });
    await job.finish();
  }
}
