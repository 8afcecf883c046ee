import type { Inspected } from '../contents/facts.js';

/** What a replica is to serve. */
export interface ReplicaOrder {
  readonly modelPath: string;
  /** Of an adapter over that model. */
  readonly adapterPath: string | null;
  /** What callers have to show. */
  readonly token: string;
  /** Answers at the same time. */
  readonly sequences: number;
}

export interface ReplicaLoad {
  /** Answers being written. */
  readonly active: number;
  /** Calls that wait for one of them to end. */
  readonly waiting: number;
}

/** Why a replica is no more. */
export interface ReplicaEnd {
  readonly code: 'ENGINE_MISSING' | 'MODEL_NOT_LOADED' | 'CHAT_TEMPLATE_ENDLESS' | 'REPLICA_DIED' | 'DRAINED';
  /** For people. */
  readonly message: string;
}

export interface ReplicaListener {
  ready(address: string): void;
  load(load: ReplicaLoad): void;
  /** Once, and last. */
  ended(end: ReplicaEnd): void;
}

export interface Replica {
  /** It takes no more calls, answers those that it has, and ends. */
  drain(): void;
  kill(): void;
}

/** Runs models: one file an implementation. Adding one is a new file and a line in model-hosts.ts. */
export abstract class ModelHost {
  /** As deployments name it. */
  abstract readonly name: string;
  /** Why it cannot serve this, for people; nothing when it can. */
  abstract refusalOf(model: Inspected): string | undefined;
  abstract start(order: ReplicaOrder, listener: ReplicaListener): Replica;
}
