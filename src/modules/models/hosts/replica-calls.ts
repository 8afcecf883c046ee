/**
 * The body of a call to a replica: `POST /generate` with its token as a bearer. The replica answers 200 with a line of
 * JSON for each `GenerateLine`, 400 with `{ message }` if the model does not support the request, or 429 if too many
 * calls wait.
 */
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
