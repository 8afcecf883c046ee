import { definedMembers } from '../../../kernel/defined-members.js';
import type { ModelResult } from '../../gateway/gateway.port.js';
import { readJsonPath } from '../json-path.js';

/** The paths to the parts of an answer. */
export interface AnswerPaths {
  output: string[];
  inputTokens: string[];
  outputTokens: string[];
}

export function toResult(answer: unknown, paths: AnswerPaths): ModelResult {
  const output = readJsonPath(answer, paths.output);
  if (output === undefined || output === null) throw new Error('The answer has nothing at the output path');
  return {
    content: [{ type: 'text', text: textOf(output) }],
    finishReason: { unified: 'stop', raw: 'stop' },
    usage: toUsage(countsIn(answer, paths)),
    warnings: [],
  };
}

export function textOf(output: unknown): string {
  return typeof output === 'string' ? output : JSON.stringify(output);
}

/** The numbers of tokens, as far as an answer has them. */
export interface Counts {
  input?: number | undefined;
  output?: number | undefined;
}

export function countsIn(answer: unknown, paths: AnswerPaths): Counts {
  return definedMembers({ input: countAt(answer, paths.inputTokens), output: countAt(answer, paths.outputTokens) });
}

export function toUsage({ input, output }: Counts): ModelResult['usage'] {
  return {
    inputTokens: { total: input, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: output, text: undefined, reasoning: undefined },
  };
}

function countAt(answer: unknown, path: string[]): number | undefined {
  const count = Number(readJsonPath(answer, path) ?? NaN);
  return Number.isFinite(count) ? count : undefined;
}
