import type { Inspected } from '../contents/facts.js';

/** The model that a new replica has to serve, and how. */
export interface ReplicaOrder {
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
  ready(address: string): void;
  load(load: ReplicaLoad): void;
  /** Called exactly once, after all other events. */
  ended(end: ReplicaEnd): void;
}

export interface Replica {
  /** Makes the replica refuse new calls, answer those that it has, and end. */
  drain(): void;
  kill(): void;
}

/** Runs models. To add another kind of host, write a file with a subclass, and add a line to model-hosts.ts. */
export abstract class ModelHost {
  /** The kind of host, as deployments have it in `host`. */
  abstract readonly name: string;
  /** Returns why the host cannot serve a model, for people, or undefined if it can. */
  abstract refusalOf(model: Inspected): string | undefined;
  abstract start(order: ReplicaOrder, listener: ReplicaListener): Replica;
}
