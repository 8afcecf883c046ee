import type { ReplicaEnd, ReplicaLoad } from '../model-host.js';

/** The messages from the service to a replica. */
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

/** The messages from a replica to the service. */
export type FromReplica =
  /** The weights are in memory. Only the chat template is still to be tried, which takes moments. */
  | { type: 'loaded' }
  | { type: 'ready'; port: number }
  | ({ type: 'load' } & ReplicaLoad)
  | { type: 'failed'; code: ReplicaEnd['code']; message: string };

/** The body of a call to a replica. */
export interface GenerateRequest {
  /** Whether the answer is sent while it is generated. Otherwise it is sent when it is complete. */
  isStream: boolean;
  messages: GenerateMessage[];
  tools: { name: string; description: string; inputSchema: object }[];
  temperature: number;
  topP: number;
  topK: number;
  /** The upper limit of the answer's tokens. */
  maxTokens: number | null;
  stop: string[];
  seed: number | null;
  /** The JSON schema of the answer, or true for any JSON. */
  json: object | true | null;
}

export type GenerateMessage =
  | { role: 'system' | 'user'; text: string }
  /** The texts and tool calls of the model, in order. */
  | { role: 'model'; parts: (string | CalledTool)[] };

export interface CalledTool {
  id: string;
  name: string;
  input: unknown;
  result: unknown;
}

/** A line of the answer: texts and tool calls as they are generated, and at last how the answer ended. */
export type GenerateLine = { text: string } | { call: { name: string; input: unknown } } | { end: GenerateEnd };

export interface GenerateEnd {
  reason: 'stop' | 'length' | 'tool-calls';
  inputTokens: number;
  /** The input tokens that were already evaluated for an earlier call. */
  cachedTokens: number;
  outputTokens: number;
}
