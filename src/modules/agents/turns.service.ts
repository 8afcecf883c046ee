import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { type Id, newId } from '../../kernel/ids.js';
import { Jobs } from '../../platform/queue/jobs.js';
import type { Identity, Session } from '../sessions/sessions.port.js';
import { SessionMemory } from '../sessions/session-memory.service.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { type Place, Places } from '../tenancy/places.service.js';
import { ActiveVersions, welcomeOf } from './active-versions.js';
import { agentsErrors } from './agents.errors.js';
import { takeTurn } from './agents.jobs.js';
import { RunStore } from './run-store.js';
import type { Run } from './run.js';
import type { UserStep } from './steps.js';

const MAX_WAITING = 100;

/** For whoever passes messages on, or has them answered. */
export const { noActiveDeployment, queueFull } = agentsErrors;

export interface NewTurn {
  identity: Identity;
  input: string;
  attachments?: readonly Id<'file'>[];
  source: string;
  channel: string;
  sink: Run['sink'];
  isStreamed?: boolean;
}

export interface AcceptedTurn {
  runId: Id<'run'>;
  sessionId: Id<'session'>;
  isNewSession: boolean;
  /** What the agent says first in a new session. */
  welcome: string | null;
}

export interface MessageToAccept {
  appId: Id<'app'>;
  environment: string;
  sessionReference: string;
  input: string;
  channel: 'http_async';
  sink: { name: string; ref: string };
}

/** Takes messages for agents: each becomes a turn in the lane of its session, and is answered in order. */
@Injectable()
export class Turns {
  constructor(
    private readonly places: Places,
    private readonly sessions: SessionsService,
    private readonly memory: SessionMemory,
    private readonly activeVersions: ActiveVersions,
    private readonly runs: RunStore,
    private readonly jobs: Jobs,
  ) {}

  /** In the caller's transaction: with its commit the turn is promised, and its sink will be told how it ended. */
  async accept(em: EntityManager, message: MessageToAccept): Promise<AcceptedTurn> {
    const { appId, environment, sessionReference: reference, ...turn } = message;
    return this.add(em, appId, environment, { ...turn, identity: { reference }, source: 'AP' });
  }

  async add(em: EntityManager, appId: Id<'app'>, envName: string, turn: NewTurn): Promise<AcceptedTurn> {
    const [place, active] = await Promise.all([
      this.places.of(appId, envName),
      this.activeVersions.findAt(appId, envName),
    ]);
    if (!active) throw agentsErrors.noActiveDeployment();
    const runId = newId('run');
    const welcomed = welcomeOf(active);
    // From here on whoever adds to this session waits: the numbers of its turns are in the order of its lane.
    const { session, welcome } = await this.sessions.open(em, place, turn.identity, turn.source, welcomed, runId);
    const isNewSession = welcome !== null;
    const waiting = isNewSession ? 0 : await this.runs.countAlive(em, session.id);
    if (waiting > MAX_WAITING) throw agentsErrors.queueFull({ limit: MAX_WAITING });
    await this.insert(em, place, session, { ...turn, runId, versionId: active.versionId, isNewSession });
    return { runId, sessionId: session.id, isNewSession, welcome };
  }

  private async insert(
    em: EntityManager,
    { projectId, appId, environment }: Place,
    { id: sessionId, userId }: Session,
    turn: NewTurn & Pick<Run, 'runId' | 'versionId' | 'isNewSession'>,
  ): Promise<void> {
    const { runId, versionId, isNewSession, input, attachments = [], channel, sink, isStreamed = false } = turn;
    const jobId = await this.jobs.add(em, takeTurn, { runId }, { lane: sessionId, projectId });
    const place = { projectId, appId, environment, sessionId };
    const how = { channel, sink, isStreamed, isNewSession };
    const run = await this.runs.insert(em, { runId, ...place, userId, versionId, jobId, ...how });
    const content: UserStep = { text: input, files: [...attachments] };
    const said = { turn: run.number, step: 0, kind: 'user' as const, content: JSON.stringify(content) };
    await this.memory.add(em, sessionId, said);
  }
}
