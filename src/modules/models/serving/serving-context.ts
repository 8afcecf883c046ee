import type { Statement } from '../../../platform/database/statement.js';
import type { Notifications } from '../../../platform/redis/notifications.js';
import type { Log } from '../../../platform/telemetry/log.js';
import type { HostingProcessRepository } from '../hosting-process.repository.js';
import type { HostKind } from '../hosts/model-hosts.js';
import type { ModelDeploymentRepository } from '../model-deployment.repository.js';
import type { ModelReplicaRepository } from '../model-replica.repository.js';
import type { FleetPace } from './fleet-pace.js';
import type { ModelFiles } from './model-files.js';
import type { ReplicaTokens } from './replica-tokens.js';

/** The things that all hosts of a process have in common. */
export interface HostingContext {
  /** Sends a statement on connections that requests do not use. */
  readonly ask: <Answer>(statement: Statement<Answer>) => Promise<Answer>;
  readonly deployments: ModelDeploymentRepository;
  readonly replicas: ModelReplicaRepository;
  readonly processes: HostingProcessRepository;
  readonly tokens: ReplicaTokens;
  readonly files: ModelFiles;
  readonly notifications: Notifications;
  readonly log: Log;
  readonly fleetPace: FleetPace;
  /** The milliseconds in which replicas end that are no longer needed. */
  readonly drainMs: number;
  readonly stopping: AbortSignal;
  /** Runs work with an entity manager of its own. */
  apart<T>(work: () => Promise<T>): Promise<T>;
  /** Returns the number of replicas that the process may still start. */
  room(): number;
}

/** The things that all deployments on a host of this process have in common. */
export interface ServingContext extends HostingContext {
  readonly processId: string;
  readonly kind: HostKind;
  /** Called when this machine lacks the engine. */
  engineMissing(reason: string): void;
}
