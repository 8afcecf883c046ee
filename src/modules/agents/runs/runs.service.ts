import { Injectable } from '@nestjs/common';
import { type Actor, type AdminActor, type KeyActor, SYSTEM } from '../../../kernel/actor.js';
import { clock } from '../../../kernel/clock.js';
import { SlipwayError } from '../../../kernel/errors.js';
import { type Id, toId } from '../../../kernel/ids.js';
import { Database } from '../../../platform/database/database.js';
import { idempotencyErrors } from '../../../platform/idempotency/idempotency.errors.js';
import { Jobs } from '../../../platform/queue/jobs.js';
import { Notifications } from '../../../platform/redis/notifications.js';
import { SessionMemory } from '../../sessions/memory/session-memory.service.js';
import type { SessionWithAttachments } from '../../sessions/session.entity.js';
import { identityOf } from '../../sessions/session-views.schema.js';
import { SessionsService } from '../../sessions/sessions.service.js';
import { Environments } from '../../tenancy/environments.service.js';
import { agentsErrors } from '../agents.errors.js';
import { AgentsService } from '../definitions/agents.service.js';
import { type AgentRunRow, isOver } from './agent-run.entity.js';
import { AgentRunRepository } from './agent-run.repository.js';
import type { StartRun, TryVersion } from './runs.schema.js';
import { type AnswerStep, answerStep } from '../turns/steps.js';
import { CLIENT_LEFT, topicOf } from '../turns/turn.js';
import { type ChosenVersion, Turns } from '../turns/turns.service.js';

/** After this time the answer is the run as far as it has come, and the caller has to ask again. */
const LONGEST_WAIT_MS = 110_000;
const RETRY_AFTER_SECONDS = 2;

/** A notification from the process that takes a turn to the processes that follow it. */
export type RunNotification = { type: 'delta'; content: string } | { type: 'done' };

export interface StartedRun {
  runId: Id<'agentRun'>;
  /** The agent's welcome, if the session is new. */
  welcome: string | null;
}

export interface RunDetails {
  run: AgentRunRow;
  session: SessionWithAttachments;
  /** Null while there is none. */
  answer: AnswerStep | null;
  welcome: string | null;
}

/** Starts runs whose caller waits for the answer. A run is cancelled when its caller can no longer get the answer. */
@Injectable()
export class RunsService {
  constructor(
    private readonly database: Database,
    private readonly environments: Environments,
    private readonly sessions: SessionsService,
    private readonly memory: SessionMemory,
    private readonly agents: AgentsService,
    private readonly turns: Turns,
    private readonly runs: AgentRunRepository,
    private readonly jobs: Jobs,
    private readonly notifications: Notifications,
  ) {}

  start(actor: KeyActor, appId: Id<'app'>, envName: string, message: StartRun): Promise<StartedRun> {
    return this.add(actor, appId, envName, message);
  }

  /** Starts a run of a version that need not be active. */
  async tryVersion(
    actor: AdminActor,
    appId: Id<'app'>,
    agentId: Id<'agent'>,
    versionId: Id<'agentVersion'>,
    { environment, ...message }: TryVersion,
  ): Promise<StartedRun> {
    const { welcomeMessage } = await this.agents.readVersion(appId, agentId, versionId);
    return this.add(actor, appId, environment, message, { versionId, welcomeMessage });
  }

  private add(
    actor: Actor,
    appId: Id<'app'>,
    envName: string,
    { sessionIdentity, input, attachments, source, stream }: StartRun,
    version?: ChosenVersion,
  ): Promise<StartedRun> {
    return this.database.transaction(actor, async (tx) => {
      const { runId, sessionId, welcome } = await this.turns.add(tx, appId, envName, {
        identity: identityOf(sessionIdentity),
        input,
        attachments: attachments.map((fileId) => toId('file', fileId)),
        source,
        channel: 'api',
        sink: null,
        isStreamed: stream,
        ...(version && { version }),
      });
      await this.sessions.checkAttached(sessionId, attachments);
      return { runId, welcome };
    });
  }

  /** Waits for the end of the run, at most for the longest wait, and returns the run as it is then. */
  async answer({ runId, welcome }: StartedRun, signal: AbortSignal, mayBeRepeated: boolean): Promise<RunDetails> {
    const following = this.follow(runId, signal, { mayBeRepeated });
    let step = await following.next();
    while (!step.done) step = await following.next();
    return step.value ? this.detailsOf(step.value, welcome) : this.details(runId, welcome);
  }

  /** Answers a repeated request with the run as it is. It is refused while the first request may still be waiting. */
  async answerRepeat({ runId, welcome }: StartedRun): Promise<RunDetails> {
    const details = await this.details(runId, welcome);
    const hasWaited = clock.now().getTime() > details.run.createdAt.getTime() + LONGEST_WAIT_MS;
    if (!isOver(details.run) && !hasWaited) throw idempotencyErrors.inProgress({ retryAfter: RETRY_AFTER_SECONDS });
    return details;
  }

  /**
   * Yields the notifications of a run until it is finished, and returns the run, or undefined after the longest wait. If
   * the client disconnects, the run is cancelled, unless the request may be repeated and its key is still valid.
   */
  async *follow(
    runId: Id<'agentRun'>,
    signal: AbortSignal,
    { mayBeRepeated = false } = {},
  ): AsyncGenerator<RunNotification, AgentRunRow | undefined> {
    const options = { signal, withinMs: LONGEST_WAIT_MS, isNew: true };
    try {
      for await (const notifications of this.notifications.follow<RunNotification>(topicOf({ id: runId }), options)) {
        const received = notifications.all();
        yield* received.filter(({ type }) => type !== 'done');
        // While text arrives the run is not finished, because `done` comes last. The row need not be read.
        if (received.at(-1)?.type === 'delta') continue;
        const run = await this.find(runId);
        if (!isOver(run)) continue;
        yield* notifications.all().filter(({ type }) => type !== 'done');
        return run;
      }
      return undefined;
    } catch (error) {
      const isRevoked = signal.reason instanceof SlipwayError;
      if (signal.aborted && (isRevoked || !mayBeRepeated)) await this.cancel(runId);
      throw error;
    }
  }

  async details(runId: Id<'agentRun'>, welcome: string | null): Promise<RunDetails> {
    return this.detailsOf(await this.find(runId), welcome);
  }

  private async detailsOf(run: AgentRunRow, welcome: string | null): Promise<RunDetails> {
    const [memory, session] = await Promise.all([
      this.database.ask(this.memory.ofTurn(run.sessionId, run.number)),
      this.sessions.read(run.sessionId),
    ]);
    const last = memory.at(-1);
    return { run, answer: last?.kind === 'answer' ? answerStep(last) : null, welcome, session };
  }

  async readIn(appId: Id<'app'>, envName: string, runId: Id<'agentRun'>): Promise<RunDetails> {
    const { environment } = await this.database.ask(this.environments.ref(appId, envName));
    const run = await this.database.ask(this.runs.byId(runId));
    if (!run || run.appId !== appId || run.environment !== environment) throw agentsErrors.runNotFound();
    return this.detailsOf(run, null);
  }

  private async find(runId: Id<'agentRun'>): Promise<AgentRunRow> {
    const run = await this.database.ask(this.runs.byId(runId));
    if (!run) throw agentsErrors.runNotFound();
    return run;
  }

  private async cancel(runId: Id<'agentRun'>): Promise<void> {
    await this.database.apart(() =>
      this.database.transaction(SYSTEM, async (tx) => {
        const run = await tx.ask(this.runs.byId(runId));
        if (run) await this.jobs.cancel(tx, run.jobId, CLIENT_LEFT.code);
      }),
    );
  }
}
