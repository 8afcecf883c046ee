import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { Transaction } from '../../../platform/database/transaction.js';
import type { CallOrigin } from '../../gateway/gateway.service.js';
import type { Memory } from '../../sessions/memory/session-memory.service.js';
import type { AgentRunRow } from '../runs/agent-run.entity.js';
import type { AnsweringVersion } from '../definitions/agent.entity.js';
import { type FinishedTurn, type Turn, type TurnSink, turnSinks, type TurnStatus } from '../agents.port.js';

/** A running turn, with what every step needs. */
export interface TurnAtWork {
  readonly run: AgentRunRow;
  readonly version: AnsweringVersion;
  readonly signal: AbortSignal;
}

export interface Failure {
  code: string;
  message: string;
}

/** The last text of the model, with the memory of the turn. */
export interface Answered {
  text: string;
  memory: readonly Memory[];
}

/** How a turn ended. */
export type Outcome = Answered | { failure: Failure };

/** Ends the turn for a reason that is no fault of this service, so that the job is not attempted again. */
export class TurnFailed extends Error {
  constructor(readonly failure: Failure) {
    super(failure.message);
  }
}

/** The reasons for which a turn is cancelled from outside. The turn's job is cancelled with the code as its reason. */
export const SESSION_ENDED: Failure = {
  code: 'SESSION_TERMINATED',
  message: 'The session ended before the answer was complete.',
};
export const CLIENT_LEFT: Failure = {
  code: 'CLIENT_LEFT',
  message: 'The client closed the connection before the answer was complete.',
};

/** The topic of the notifications about a run. */
export const topicOf = ({ id }: Pick<AgentRunRow, 'id'>) => `run:${id}`;

/** Returns a run in the form in which sinks get it. */
export function turnOf(run: AgentRunRow): Turn {
  const { id: runId, projectId, appId, sessionId, environment, sinkName, sinkRef } = run;
  const sink = sinkName === null ? null : { name: sinkName, ref: sinkRef ?? '' };
  return { runId, projectId, appId, sessionId, environment, sink };
}

/** Returns what the ledger records about the calls of a turn. */
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

/** Notifies the sink of a turn. A turn without a sink has a caller that waits for its answer. */
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

  async notifyStatus(tx: Transaction, turn: Turn, status: TurnStatus): Promise<void> {
    await this.of(turn)?.onStatus(tx, turn, status);
  }

  async notifyFinished(tx: Transaction, turn: FinishedTurn): Promise<void> {
    await this.of(turn)?.onFinished(tx, turn);
  }

  private of({ sink }: Turn): TurnSink | undefined {
    if (!sink) return undefined;
    const found = this.byName.get(sink.name);
    if (!found) throw new Error(`There is no turn sink of the name ${sink.name}`);
    return found;
  }
}
