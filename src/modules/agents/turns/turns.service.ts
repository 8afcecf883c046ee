import type { Statement } from '../../../platform/database/statement.js';
import type { Transaction } from '../../../platform/database/transaction.js';
import { Injectable } from '@nestjs/common';
import { type Id, newId } from '../../../kernel/ids.js';
import { Jobs } from '../../../platform/queue/jobs.js';
import type { SessionRow } from '../../sessions/session.entity.js';
import type { Identity } from '../../sessions/sessions.port.js';
import { SessionMemory } from '../../sessions/memory/session-memory.service.js';
import { SessionsService } from '../../sessions/sessions.service.js';
import { type EnvironmentRef, toEnvironmentRef } from '../../tenancy/environments.service.js';
import { ActivationRepository, type ActiveVersion, welcomeOf } from '../definitions/activation.repository.js';
import { AgentRunRepository } from '../runs/agent-run.repository.js';
import { agentsErrors } from '../agents.errors.js';
import { takeTurn } from '../agents.jobs.js';
import type { Turn } from '../agents.port.js';
import type { UserStep } from './steps.js';

const MAX_WAITING = 100;

/** A version that answers although another one, or none, is active. */
export type ChosenVersion = Pick<ActiveVersion, 'versionId' | 'welcomeMessage'>;

export interface NewTurn {
  identity: Identity;
  input: string;
  attachments?: readonly Id<'file'>[];
  source: string;
  channel: string;
  sink: Turn['sink'];
  /** Whether the sink is notified when the turn begins. It is notified of suspensions and of the end in any case. */
  notifiesOfStart?: boolean;
  isStreamed?: boolean;
  version?: ChosenVersion;
  /** Writes of the caller that are sent with those of the turn, in one statement. */
  together?: (accepted: AcceptedTurn) => Statement<unknown>[];
}

export interface AcceptedTurn {
  runId: Id<'agentRun'>;
  sessionId: Id<'session'>;
  isNewSession: boolean;
  /** The agent's welcome, if the session is new. */
  welcome: string | null;
}

export interface MessageToAccept {
  appId: Id<'app'>;
  environment: string;
  sessionReference: string;
  input: string;
  channel: 'http_async';
  sink: { name: string; ref: string };
  notifiesOfStart?: boolean;
  together?: (accepted: AcceptedTurn) => Statement<unknown>[];
}

/** Accepts messages for agents. Each becomes a turn in the lane of its session, so that they are answered in order. */
@Injectable()
export class Turns {
  constructor(
    private readonly sessions: SessionsService,
    private readonly memory: SessionMemory,
    private readonly activations: ActivationRepository,
    private readonly runs: AgentRunRepository,
    private readonly jobs: Jobs,
  ) {}

  /** Adds a turn in the caller's transaction. After the commit the turn is certain to be taken, and its sink to be notified. */
  async accept(tx: Transaction, message: MessageToAccept): Promise<AcceptedTurn> {
    const { appId, environment, sessionReference: reference, ...turn } = message;
    return this.add(tx, appId, environment, { ...turn, identity: { reference }, source: 'AP' });
  }

  async add(tx: Transaction, appId: Id<'app'>, envName: string, turn: NewTurn): Promise<AcceptedTurn> {
    const { found, active } = await tx.ask(this.activations.messageTarget(appId, envName));
    const env = toEnvironmentRef(found);
    const version = turn.version ?? active;
    if (!version) throw agentsErrors.noActiveDeployment();
    const runId = newId('agentRun');
    const agentWelcome = welcomeOf(version);
    // This locks the session until the commit, so that the numbers of its turns are in the order of its lane.
    const { session, welcome } = await this.sessions.open(tx, env, turn.identity, turn.source, agentWelcome, runId);
    const isNewSession = welcome !== null;
    const { number, waiting } = await tx.ask(this.runs.next(session.id));
    if (waiting > MAX_WAITING) throw agentsErrors.queueFull({ limit: MAX_WAITING });
    const accepted = { runId, sessionId: session.id, isNewSession, welcome };
    await this.insert(tx, env, session, { ...turn, accepted, number, versionId: version.versionId });
    return accepted;
  }

  private async insert(
    tx: Transaction,
    { projectId, appId, environment }: EnvironmentRef,
    { id: sessionId, userId }: SessionRow,
    turn: NewTurn & { accepted: AcceptedTurn; number: number; versionId: Id<'agentVersion'> },
  ): Promise<void> {
    const { accepted, number, versionId, input, attachments = [], channel, sink, isStreamed = false } = turn;
    const { notifiesOfStart = sink !== null } = turn;
    const { runId, isNewSession } = accepted;
    const message: UserStep = { text: input, files: [...attachments] };
    const jobId = newId('job');
    const run = this.runs.add({
      ...{ id: runId, number, projectId, appId, environment, sessionId, userId, versionId, jobId },
      ...{ channel, isStreamed, isNewSession, sinkName: sink?.name ?? null, sinkRef: sink?.ref ?? null },
    });
    const entry = { turn: number, step: 0, kind: 'user' as const, content: JSON.stringify(message) };
    const together = [run, this.memory.rememberInLocked(sessionId, entry), ...(turn.together?.(accepted) ?? [])];
    await this.jobs.add(tx, takeTurn, { runId, notifiesOfStart }, { id: jobId, lane: sessionId, projectId, together });
  }
}
