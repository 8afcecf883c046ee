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
  /** The weights are in memory; what is left are moments. */
  | { type: 'loaded' }
  | { type: 'ready'; port: number }
  | ({ type: 'load' } & ReplicaLoad)
  | { type: 'failed'; code: ReplicaEnd['code']; message: string };

/** A call of the model, as it goes over HTTP. */
export interface GenerateRequest {
  /** Whether somebody wants to read along; else the answer is sent when it is whole. */
  isStream: boolean;
  messages: GenerateMessage[];
  tools: { name: string; description: string; inputSchema: object }[];
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

export type GenerateMessage =
  | { role: 'system' | 'user'; text: string }
  /** What the model said and which tools it called, in order. */
  | { role: 'model'; parts: (string | CalledTool)[] };

export interface CalledTool {
  id: string;
  name: string;
  input: unknown;
  result: unknown;
}

/** The lines of its answer: texts and calls of tools as they come, and last how it ended. */
export type GenerateLine = { text: string } | { call: { name: string; input: unknown } } | { end: GenerateEnd };

export interface GenerateEnd {
  reason: 'stop' | 'length' | 'tool-calls';
  inputTokens: number;
  /** Of these, what had been read for an earlier call. */
  cachedTokens: number;
  outputTokens: number;
}
