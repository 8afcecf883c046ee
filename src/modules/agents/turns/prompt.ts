import type { Id } from '../../../kernel/ids.js';
import type { ModelRequest } from '../../gateway/gateway.port.js';
import { type Memory, tokensIn } from '../../sessions/memory/session-memory.service.js';
import type { AnsweringVersion } from '../definitions/agent.entity.js';
import { answerStep, inputOf, modelStep, type ToolCall, toolStep, userStep } from './steps.js';

type Prompt = ModelRequest['prompt'];
type Message = Prompt[number];
export type UserPart = Extract<Message, { role: 'user' }>['content'][number];

/** A conversation that has outgrown its budget is put together so far that it has room to grow again. */
const KEPT_PART = 0.5;

/** What files of a message are to the model. */
export type FilesAsParts = (memory: Memory) => UserPart[];

/** What is said to the model: who it is, what was before, as far as it has room, and this turn whole. */
export function promptOf(instructions: string, memory: readonly Memory[], filesOf: FilesAsParts): Prompt {
  const summary = memory.find(({ kind }) => kind === 'summary')?.content;
  const before = summary === undefined ? '' : `\n\nWhat was said before, in short:\n${summary}`;
  const system: Prompt = instructions || before ? [{ role: 'system', content: `${instructions}${before}`.trim() }] : [];
  return [...system, ...turnsIn(memory).flatMap((turn) => messagesOf(turn, filesOf))];
}

/** Oldest first. */
export function turnsIn(memory: readonly Memory[]): Memory[][] {
  return [
    ...Map.groupBy(
      memory.filter(({ kind }) => kind !== 'summary'),
      ({ turn }) => turn,
    ).values(),
  ];
}

/** The files that were sent with messages. */
export function filesIn(memory: readonly Memory[]): Id<'file'>[] {
  return memory.filter(({ kind }) => kind === 'user').flatMap((each) => userStep(each).files);
}

/** What is kept of a conversation in a turn, so that it fits the agent's budget of tokens, and what is too old for that. */
export function fitting(
  memory: readonly Memory[],
  turnNumber: number,
  { historyTokens, instructions }: AnsweringVersion,
): { old: readonly Memory[]; kept: readonly Memory[] } {
  const now = memory.filter(({ turn }) => turn === turnNumber);
  const before = memory.filter(({ turn }) => turn !== turnNumber);
  const room = historyTokens - tokensIn(instructions) - tokensOf(now);
  if (tokensOf(before) <= room) return { old: [], kept: memory };
  const kept = newest(before, Math.max(0, room * KEPT_PART));
  return { old: before.filter((each) => !kept.includes(each)), kept: [...kept, ...now] };
}

/** The conversation as people read it. */
export function transcriptOf(memory: readonly Memory[]): string {
  return memory
    .flatMap((each) => {
      if (each.kind === 'summary') return [`Before: ${each.content}`];
      if (each.kind === 'user') return [`User: ${userStep(each).text}`];
      if (each.kind === 'tool') return [`Tool ${toolStep(each).name}: ${toolStep(each).output}`];
      if (each.kind === 'answer') return [`Agent: ${answerStep(each).text}`];
      return [];
    })
    .join('\n');
}

function messagesOf(turn: readonly Memory[], filesOf: FilesAsParts): Prompt {
  const isOver = turn.some(({ kind }) => kind === 'answer');
  const answered = new Set(turn.filter(({ kind }) => kind === 'tool').map((each) => toolStep(each).callId));
  return turn.flatMap((each): Prompt => {
    switch (each.kind) {
      case 'user':
        return [{ role: 'user', content: [{ type: 'text', text: userStep(each).text }, ...filesOf(each)] }];
      case 'model':
        return assistantOf(modelStep(each), (call) => !isOver || answered.has(call.id));
      case 'tool':
        return [toolMessageOf(each)];
      case 'answer': {
        const { text, usedFallback } = answerStep(each);
        return usedFallback ? [{ role: 'assistant', content: [{ type: 'text', text }] }] : [];
      }
      default:
        return [];
    }
  });
}

/** Of a turn that broke off, calls that nobody answered are left out: providers refuse them. */
function assistantOf(
  { text, toolCalls }: { text: string; toolCalls: ToolCall[] },
  isKept: (call: ToolCall) => boolean,
): Prompt {
  const calls = toolCalls.filter(isKept).map(({ id, name, arguments: input }) => {
    return { type: 'tool-call' as const, toolCallId: id, toolName: name, input: inputOf(input) ?? {} };
  });
  const said = text === '' ? [] : [{ type: 'text' as const, text }];
  const content = [...said, ...calls];
  return content.length === 0 ? [] : [{ role: 'assistant', content }];
}

function toolMessageOf(memory: Memory): Message {
  const { callId, name, output, isError } = toolStep(memory);
  const value = output;
  const result = isError ? { type: 'error-text' as const, value } : { type: 'text' as const, value };
  return { role: 'tool', content: [{ type: 'tool-result', toolCallId: callId, toolName: name, output: result }] };
}

/** Whole turns, the newest first, that have room; in their order. */
function newest(memory: readonly Memory[], room: number): Memory[] {
  const kept: Memory[] = [];
  let left = room;
  for (const turn of turnsIn(memory).toReversed()) {
    left -= tokensOf(turn);
    if (left < 0) break;
    kept.unshift(...turn);
  }
  return kept;
}

/** An answer repeats what the model said, and is not sent. */
function tokensOf(memory: readonly Memory[]): number {
  return memory.reduce((sum, { kind, tokens }) => sum + (kind === 'answer' ? 0 : tokens), 0);
}
