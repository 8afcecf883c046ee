import { NamedMark } from '../../../platform/extension/named-mark.js';
import type { Inspected } from '../contents/facts.js';
import { FleetHost } from './fleet-host.js';

/** The model that a new replica has to serve, and how. */
export interface ReplicaOrder {
  /** The file of the model on this machine. */
  readonly modelPath: string;
  /** The file of an adapter over the model. */
  readonly adapterPath: string | null;
  /** The token that callers have to send. */
  readonly token: string;
  /** The number of answers that the replica writes at the same time. */
  readonly sequences: number;
}

export interface ReplicaLoad {
  /** The number of answers that are being written. */
  readonly active: number;
  /** The number of calls that are queued. */
  readonly waiting: number;
}

/** Why a replica ended. */
export interface ReplicaEnd {
  readonly code: 'ENGINE_MISSING' | 'MODEL_NOT_LOADED' | 'CHAT_TEMPLATE_ENDLESS' | 'REPLICA_DIED' | 'DRAINED';
  /** The reason in a sentence, for people. */
  readonly message: string;
}

export interface ReplicaListener {
  /** Called when the replica answers `POST /generate` below this address. */
  ready(address: string): void;
  load(load: ReplicaLoad): void;
  /** Called exactly once, after all other events, unless `start` fails. */
  ended(end: ReplicaEnd): void;
}

export interface Replica {
  /** Makes the replica refuse new calls, answer those that it has, and end. */
  drain(): void;
  kill(): void;
}

/** Runs models, with a replica for each order. Its class is marked with `@HostsModels`. */
export abstract class ModelHost {
  /** Returns why the host cannot serve a model, for people, or undefined if it can. */
  abstract refusalOf(model: Inspected): string | undefined;
  /** Starts a replica. If this throws or rejects, the replica has ended. */
  abstract start(order: ReplicaOrder, listener: ReplicaListener): Replica | Promise<Replica>;
}

export interface ModelHostDescription {
  /** The kind of host, as deployments have it in `host`. It never changes. */
  readonly name: string;
}

export const modelHosts = new NamedMark<ModelHost | FleetHost, ModelHostDescription>(
  [ModelHost, FleetHost],
  'host models as',
  ({ name }) => [name],
);

/** Marks a class that extends ModelHost or FleetHost. Deployments find it by the models that it can serve. */
export function HostsModels(description: ModelHostDescription): ClassDecorator {
  return modelHosts.marks(description);
}
