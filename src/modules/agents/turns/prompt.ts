import type { Id } from '../../../kernel/ids.js';
import type { ModelRequest } from '../../gateway/gateway.port.js';
import { type Memory, tokensIn } from '../../sessions/memory/session-memory.service.js';
import type { AnsweringVersion } from '../definitions/agent.entity.js';
import { answerStep, inputOf, modelStep, type ToolCall, toolStep, userStep } from './steps.js';

type Prompt = ModelRequest['prompt'];
type Message = Prompt[number];
export type UserPart = Extract<Message, { role: 'user' }>['content'][number];

/** The part of the budget that the kept turns may fill. The rest is room for the next turns, so summaries stay rare. */
const KEPT_FRACTION = 0.5;

/** Returns the files of a user's message as parts of the prompt. */
export type FilesAsParts = (memory: Memory) => UserPart[];

/** Builds the prompt: the instructions, the summary of old turns, the kept turns, and the current turn. */
export function promptOf(instructions: string, memory: readonly Memory[], filesOf: FilesAsParts): Prompt {
  const summary = memory.find(({ kind }) => kind === 'summary')?.content;
  const before = summary === undefined ? '' : `\n\nA summary of the conversation so far:\n${summary}`;
  const system: Prompt = instructions || before ? [{ role: 'system', content: `${instructions}${before}`.trim() }] : [];
  return [...system, ...turnsIn(memory).flatMap((turn) => messagesOf(turn, filesOf))];
}

/** Groups the memory by turns, oldest first. Summaries belong to no turn. */
export function turnsIn(memory: readonly Memory[]): Memory[][] {
  return [
    ...Map.groupBy(
      memory.filter(({ kind }) => kind !== 'summary'),
      ({ turn }) => turn,
    ).values(),
  ];
}

/** Returns the ids of files that users sent with their messages. */
export function filesIn(memory: readonly Memory[]): Id<'file'>[] {
  return memory.filter(({ kind }) => kind === 'user').flatMap((message) => userStep(message).files);
}

/** Splits the memory into the turns that fit the agent's token budget and the older ones. The current turn always fits. */
export function fitToBudget(
  memory: readonly Memory[],
  turnNumber: number,
  { historyTokens, instructions }: AnsweringVersion,
): { old: readonly Memory[]; kept: readonly Memory[] } {
  const current = memory.filter(({ turn }) => turn === turnNumber);
  const earlier = memory.filter(({ turn }) => turn !== turnNumber);
  const room = historyTokens - tokensIn(instructions) - tokensOf(current);
  if (tokensOf(earlier) <= room) return { old: [], kept: memory };
  const kept = newestTurns(earlier, Math.max(0, room * KEPT_FRACTION));
  return { old: earlier.filter((entry) => !kept.includes(entry)), kept: [...kept, ...current] };
}

/** Returns the conversation as readable text. */
export function transcriptOf(memory: readonly Memory[]): string {
  return memory
    .flatMap((entry) => {
      if (entry.kind === 'summary') return [`Before: ${entry.content}`];
      if (entry.kind === 'user') return [`User: ${userStep(entry).text}`];
      if (entry.kind === 'tool') return [`Tool ${toolStep(entry).name}: ${toolStep(entry).output}`];
      if (entry.kind === 'answer') return [`Agent: ${answerStep(entry).text}`];
      return [];
    })
    .join('\n');
}

function messagesOf(turn: readonly Memory[], filesOf: FilesAsParts): Prompt {
  const isOver = turn.some(({ kind }) => kind === 'answer');
  const answered = new Set(turn.filter(({ kind }) => kind === 'tool').map((entry) => toolStep(entry).callId));
  return turn.flatMap((entry): Prompt => {
    switch (entry.kind) {
      case 'user':
        return [{ role: 'user', content: [{ type: 'text', text: userStep(entry).text }, ...filesOf(entry)] }];
      case 'model':
        return assistantOf(modelStep(entry), (call) => !isOver || answered.has(call.id));
      case 'tool':
        return [toolMessageOf(entry)];
      case 'answer': {
        const { text, usedFallback } = answerStep(entry);
        return usedFallback ? [{ role: 'assistant', content: [{ type: 'text', text }] }] : [];
      }
      default:
        return [];
    }
  });
}

/** Leaves out tool calls that a cancelled turn never answered, because providers refuse a call without a result. */
function assistantOf(
  { text, toolCalls }: { text: string; toolCalls: ToolCall[] },
  isKept: (call: ToolCall) => boolean,
): Prompt {
  const calls = toolCalls.filter(isKept).map(({ id, name, arguments: input }) => {
    return { type: 'tool-call' as const, toolCallId: id, toolName: name, input: inputOf(input) ?? {} };
  });
  const texts = text === '' ? [] : [{ type: 'text' as const, text }];
  const content = [...texts, ...calls];
  return content.length === 0 ? [] : [{ role: 'assistant', content }];
}

function toolMessageOf(memory: Memory): Message {
  const { callId, name, output, isError } = toolStep(memory);
  const value = output;
  const result = isError ? { type: 'error-text' as const, value } : { type: 'text' as const, value };
  return { role: 'tool', content: [{ type: 'tool-result', toolCallId: callId, toolName: name, output: result }] };
}

/** Returns as many of the newest turns as fit, each complete, oldest first. */
function newestTurns(memory: readonly Memory[], room: number): Memory[] {
  const kept: Memory[] = [];
  let left = room;
  for (const turn of turnsIn(memory).toReversed()) {
    left -= tokensOf(turn);
    if (left < 0) break;
    kept.unshift(...turn);
  }
  return kept;
}

/** Does not count answers: they repeat the model's last text and are not sent. */
function tokensOf(memory: readonly Memory[]): number {
  return memory.reduce((sum, { kind, tokens }) => sum + (kind === 'answer' ? 0 : tokens), 0);
}
