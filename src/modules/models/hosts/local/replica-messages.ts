import type { ReplicaEnd, ReplicaLoad } from '../model-host.js';

/** What the service tells the process that runs a model. */
export type ToReplica = ServeMessage | { type: 'drain' };

export interface ServeMessage {
  type: 'serve';
  modelPath: string;
  adapterPath: string | null;
  token: string;
  address: string;
  sequences: number;
  contextTokens: number;
  threads: number;
}

/** What that process tells the service. */
export type FromReplica =
  | { type: 'ready'; port: number }
  | ({ type: 'load' } & ReplicaLoad)
  | { type: 'failed'; code: ReplicaEnd['code']; message: string };

/** A call of the model, as it goes over HTTP. */
export interface GenerateRequest {
  messages: { role: 'system' | 'user' | 'model'; text: string }[];
  temperature: number;
  topP: number;
  topK: number;
  /** The most that the answer may have. */
  maxTokens: number | null;
  stop: string[];
  seed: number | null;
  /** The answer has to be JSON: of this schema, or any for true. */
  json: object | true | null;
}

/** The lines of its answer: texts as they come, and last how it ended. */
export type GenerateLine = { text: string } | { end: GenerateEnd };

export interface GenerateEnd {
  reason: 'stop' | 'length';
  inputTokens: number;
  /** Of these, what had been read for an earlier call. */
  cachedTokens: number;
  outputTokens: number;
}
