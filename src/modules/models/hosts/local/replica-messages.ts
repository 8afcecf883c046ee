import type { ReplicaEnd, ReplicaLoad } from '../model-host.js';

/** The messages from the service to a replica. */
export type ToReplica = ServeMessage | { type: 'closeConnections' } | { type: 'drain' };

export interface ServeMessage {
  type: 'serve';
  modelPath: string;
  adapterPath: string | null;
  token: string;
  address: string;
  /** The port to listen on; 0 takes a free one. */
  port: number;
  sequences: number;
  contextTokens: number;
  threads: number;
}

/** The messages from a replica to the service. */
export type FromReplica =
  /** The weights are in memory. Only the chat template is still to be tried, which takes moments. */
  | { type: 'loaded' }
  | { type: 'ready'; port: number }
  | ({ type: 'load' } & ReplicaLoad)
  | { type: 'failed'; code: ReplicaEnd['code']; message: string };
