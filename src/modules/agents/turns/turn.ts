import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { Transaction } from '../../../platform/database/transaction.js';
import type { CallOrigin } from '../../gateway/gateway.service.js';
import type { Memory } from '../../sessions/memory/session-memory.service.js';
import type { AgentRunRow } from '../runs/agent-run.entity.js';
import type { AnsweringVersion } from '../definitions/agent.entity.js';
import { type FinishedTurn, type Turn, type TurnSink, turnSinks, type TurnStatus } from '../agents.port.js';

/** A turn at work: what it needs to know at every step. */
export interface TurnAtWork {
  readonly run: AgentRunRow;
  readonly version: AnsweringVersion;
  readonly signal: AbortSignal;
}

export interface Failure {
  code: string;
  message: string;
}

/** What the model said last, and all that there is of the turn. */
export interface Answered {
  text: string;
  memory: readonly Memory[];
}

/** How a turn came out. */
export type Outcome = Answered | { failure: Failure };

/** The turn cannot go on, for a reason that is not a fault of ours. */
export class TurnFailed extends Error {
  constructor(readonly failure: Failure) {
    super(failure.message);
  }
}

/** Why a turn is broken off from outside. Its job is cancelled with the code as the reason. */
export const SESSION_ENDED: Failure = {
  code: 'SESSION_TERMINATED',
  message: 'The session ended before the answer.',
};
export const CLIENT_LEFT: Failure = { code: 'CLIENT_LEFT', message: 'Whoever waited for the answer went away.' };

/** Where those listen who wait for a run. */
export const topicOf = ({ id }: Pick<AgentRunRow, 'id'>) => `run:${id}`;

/** A run as those know it who pass its answer on. */
export function turnOf(run: AgentRunRow): Turn {
  const { id: runId, projectId, appId, sessionId, environment, sinkName, sinkRef } = run;
  const sink = sinkName === null ? null : { name: sinkName, ref: sinkRef ?? '' };
  return { runId, projectId, appId, sessionId, environment, sink };
}

/** What the ledger is to say of the calls of a turn. */
export function originOf({ run, version }: TurnAtWork, sourceSubtype: string): CallOrigin {
  return {
    projectId: run.projectId,
    appId: run.appId,
    agentName: version.agentName,
    environment: run.environment,
    sessionId: run.sessionId,
    traceId: run.traceId,
    parentObservationId: run.observationId,
    sourceId: version.agentId,
    source: 'runtime',
    sourceSubtype,
    channel: run.channel,
    channelType: run.channel,
  };
}

/** Finds whoever is told of a turn. Most are told to nobody: somebody waits for them. */
@Injectable()
export class TurnSinks implements OnModuleInit {
  private byName = new Map<string, TurnSink>();

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    this.byName = turnSinks.findByName(
      this.discovery,
      (name) => name,
      (_, sink) => sink,
    );
  }

  async tellStatus(tx: Transaction, turn: Turn, status: TurnStatus): Promise<void> {
    await this.of(turn)?.onStatus(tx, turn, status);
  }

  async tellFinished(tx: Transaction, turn: FinishedTurn): Promise<void> {
    await this.of(turn)?.onFinished(tx, turn);
  }

  private of({ sink }: Turn): TurnSink | undefined {
    if (!sink) return undefined;
    const found = this.byName.get(sink.name);
    if (!found) throw new Error(`Nobody takes the turns for ${sink.name}`);
    return found;
  }
}
