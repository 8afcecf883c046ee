import type { Id } from '../../../kernel/ids.js';
import { isJsonObject, parseJson } from '../../../kernel/json.js';
import type { Memory } from '../../sessions/memory/session-memory.service.js';
import type { Provenance, TurnMedia } from '../agents.port.js';

// Each kind of memory entry has one of these shapes as its content, in JSON.

export interface UserStep {
  text: string;
  files: Id<'file'>[];
}

export interface ModelStep {
  text: string;
  toolCalls: { id: string; name: string; arguments: string }[];
}

export interface ToolStep {
  callId: string;
  name: string;
  output: string;
  isError: boolean;
  media?: TurnMedia[];
}

export interface AnswerStep {
  text: string;
  usedFallback: boolean;
  provenance: Provenance;
  media: TurnMedia[];
}

export type ToolCall = ModelStep['toolCalls'][number];

export function userStep({ content }: Memory): UserStep {
  return JSON.parse(content) as UserStep;
}

export function modelStep({ content }: Memory): ModelStep {
  return JSON.parse(content) as ModelStep;
}

export function toolStep({ content }: Memory): ToolStep {
  return JSON.parse(content) as ToolStep;
}

export function answerStep({ content }: Memory): AnswerStep {
  return JSON.parse(content) as AnswerStep;
}

/** The next step of a turn, as it follows from the steps so far. */
export type Next =
  | { what: 'call-model'; step: number; modelCalls: number }
  | { what: 'call-tool'; step: number; call: ToolCall }
  | { what: 'answer'; text: string }
  | { what: 'nothing' };

export function nextIn(turn: readonly Memory[]): Next {
  const last = turn.at(-1);
  if (!last) return { what: 'nothing' };
  const step = last.step + 1;
  const models = turn.filter(({ kind }) => kind === 'model');
  const latest = models.at(-1);
  if (!latest) return { what: 'call-model', step, modelCalls: 0 };
  const { text, toolCalls } = modelStep(latest);
  if (toolCalls.length === 0) return { what: 'answer', text };
  const answered = turn.filter(({ kind, step: at }) => kind === 'tool' && at > latest.step).length;
  const call = toolCalls[answered];
  return call ? { what: 'call-tool', step, call } : { what: 'call-model', step, modelCalls: models.length };
}

/**
 * Parses the arguments that a model wrote for a tool. They may be any text, and undefined means that it is not an
 * object.
 */
export function inputOf(text: string): object | undefined {
  const value = parseJson(text || '{}');
  return isJsonObject(value) ? value : undefined;
}
