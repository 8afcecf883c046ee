import type { CallOrigin } from '../gateway/gateway.service.js';
import type { Run } from './run.js';
import type { Version } from './versions.js';

/** A turn at work: what it needs to know at every step. */
export interface TurnAtWork {
  readonly run: Run;
  readonly version: Version;
  readonly signal: AbortSignal;
}

export interface Failure {
  code: string;
  message: string;
}

/** How a turn came out. */
export type Outcome = { text: string } | { failure: Failure };

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
export const topicOf = ({ runId }: Pick<Run, 'runId'>) => `run:${runId}`;

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
