import { Injectable } from '@nestjs/common';
import { type KeyActor, SYSTEM } from '../../../kernel/actor.js';
import { clock } from '../../../kernel/clock.js';
import { SlipwayError } from '../../../kernel/errors.js';
import { type Id, toId } from '../../../kernel/ids.js';
import { Database } from '../../../platform/database/database.js';
import { idempotencyErrors } from '../../../platform/idempotency/idempotency.errors.js';
import { Jobs } from '../../../platform/queue/jobs.js';
import { Notifications } from '../../../platform/redis/notifications.js';
import { SessionMemory } from '../../sessions/memory/session-memory.service.js';
import type { SeenSession } from '../../sessions/session.entity.js';
import { identityOf } from '../../sessions/session-views.schema.js';
import { SessionsService } from '../../sessions/sessions.service.js';
import { Environments } from '../../tenancy/environments.service.js';
import { agentsErrors } from '../agents.errors.js';
import { type AgentRunRow, isOver } from './agent-run.entity.js';
import { AgentRunRepository } from './agent-run.repository.js';
import type { StartRun } from './runs.schema.js';
import { type AnswerStep, answerStep } from '../turns/steps.js';
import { CLIENT_LEFT, topicOf } from '../turns/turn.js';
import { Turns } from '../turns/turns.service.js';

/** Whoever waits longer is told how far it is, and asks again. */
const LONGEST_WAIT_MS = 110_000;
const ASK_AGAIN_SECONDS = 2;

/** What is told while a run is at work. */
export type RunNotification = { type: 'delta'; content: string } | { type: 'done' };

export interface StartedRun {
  runId: Id<'agentRun'>;
  /** What the agent says first in a new session. */
  welcome: string | null;
}

export interface RunSeen {
  run: AgentRunRow;
  session: SeenSession;
  /** Null while there is none. */
  answer: AnswerStep | null;
  welcome: string | null;
}

/** Runs whose caller waits for the answer. When nobody waits or will ask any more, they are broken off. */
@Injectable()
export class RunsService {
  constructor(
    private readonly database: Database,
    private readonly environments: Environments,
    private readonly sessions: SessionsService,
    private readonly memory: SessionMemory,
    private readonly turns: Turns,
    private readonly runs: AgentRunRepository,
    private readonly jobs: Jobs,
    private readonly notifications: Notifications,
  ) {}

  async start(
    actor: KeyActor,
    appId: Id<'app'>,
    envName: string,
    { sessionIdentity, input, attachments, source, stream }: StartRun,
  ): Promise<StartedRun> {
    return this.database.transaction(actor, async (tx) => {
      const { runId, sessionId, welcome } = await this.turns.add(tx, appId, envName, {
        identity: identityOf(sessionIdentity),
        input,
        attachments: attachments.map((each) => toId('file', each)),
        source,
        channel: 'api',
        sink: null,
        isStreamed: stream,
      });
      await this.sessions.checkAttached(sessionId, attachments);
      return { runId, welcome };
    });
  }

  /** As it is when it is over, or when it has taken too long to wait for. */
  async answer({ runId, welcome }: StartedRun, signal: AbortSignal, isAskedAgain: boolean): Promise<RunSeen> {
    const following = this.follow(runId, signal, { isAskedAgain });
    let heard = await following.next();
    while (!heard.done) heard = await following.next();
    return heard.value ? this.seen(heard.value, welcome) : this.see(runId, welcome);
  }

  /** The same for the same request, sent again: refused as long as the first one may still be waiting. */
  async again({ runId, welcome }: StartedRun): Promise<RunSeen> {
    const seen = await this.see(runId, welcome);
    const hasWaited = clock.now().getTime() > seen.run.createdAt.getTime() + LONGEST_WAIT_MS;
    if (!isOver(seen.run) && !hasWaited) throw idempotencyErrors.inProgress({ retryAfter: ASK_AGAIN_SECONDS });
    return seen;
  }

  /**
   * What is told of it until it is over, and then the run; nothing where that takes too long. Whoever will ask again may
   * go away meanwhile; without a good key nobody will.
   */
  async *follow(
    runId: Id<'agentRun'>,
    signal: AbortSignal,
    { isAskedAgain = false, isStream = false },
  ): AsyncGenerator<RunNotification, AgentRunRow | undefined> {
    const follow = { signal, withinMs: LONGEST_WAIT_MS, isNew: true, isStream };
    try {
      for await (const heard of this.notifications.follow<RunNotification>(topicOf({ id: runId }), follow)) {
        const told = heard.all();
        yield* told.filter(({ type }) => type !== 'done');
        // As long as it speaks it is not over; that it is, is told last.
        if (told.at(-1)?.type === 'delta') continue;
        const run = await this.find(runId);
        if (!isOver(run)) continue;
        yield* heard.all().filter(({ type }) => type !== 'done');
        return run;
      }
      return undefined;
    } catch (error) {
      const isRevoked = signal.reason instanceof SlipwayError;
      if (signal.aborted && (isRevoked || !isAskedAgain)) await this.breakOff(runId);
      throw error;
    }
  }

  async see(runId: Id<'agentRun'>, welcome: string | null = null): Promise<RunSeen> {
    return this.seen(await this.find(runId), welcome);
  }

  private async seen(run: AgentRunRow, welcome: string | null): Promise<RunSeen> {
    const [memory, session] = await Promise.all([
      this.database.ask(this.memory.ofTurn(run.sessionId, run.number)),
      this.sessions.see(run.sessionId),
    ]);
    const last = memory.at(-1);
    return { run, answer: last?.kind === 'answer' ? answerStep(last) : null, welcome, session };
  }

  async readIn(appId: Id<'app'>, envName: string, runId: Id<'agentRun'>): Promise<RunSeen> {
    const { environment } = await this.database.ask(this.environments.ref(appId, envName));
    const run = await this.database.ask(this.runs.byId(runId));
    if (!run || run.appId !== appId || run.environment !== environment) throw agentsErrors.runNotFound();
    return this.seen(run, null);
  }

  private async find(runId: Id<'agentRun'>): Promise<AgentRunRow> {
    const run = await this.database.ask(this.runs.byId(runId));
    if (!run) throw agentsErrors.runNotFound();
    return run;
  }

  private async breakOff(runId: Id<'agentRun'>): Promise<void> {
    await this.database.apart(() =>
      this.database.transaction(SYSTEM, async (tx) => {
        const run = await tx.ask(this.runs.byId(runId));
        if (run) await this.jobs.cancel(tx, run.jobId, CLIENT_LEFT.code);
      }),
    );
  }
}
