import type { Id } from '../../kernel/ids.js';
import { shortened } from '../../kernel/shortened.js';
import { Mark } from '../../platform/extension/mark.js';

/** The kinds of problems, in the order in which they are listed. */
export const PROBLEM_KINDS = [
  'CONNECTION_UNREADABLE',
  'CONNECTION_FAILING',
  'MODEL_CALLS_FAILING',
  'RECEIVER_DISABLED',
  'RECEIVER_PAUSED',
  'RECEIVER_FAILING',
  'MODEL_NOT_IMPORTED',
  'MODEL_NOT_SERVED',
  'TOOL_NOT_IMPORTED',
  'JOBS_FAILED',
  'STORAGE_FULL',
] as const;

/** Something that is wrong in a project now. */
export interface Problem {
  kind: (typeof PROBLEM_KINDS)[number];
  /** A sentence for people. */
  message: string;
  /** The id of what has the problem, or the name of a model at its provider or of a job. */
  subject: string | null;
}

/** Finds what is wrong in a module. */
export abstract class ProblemSource {
  abstract problemsOf(projectId: Id<'project'>): Promise<Problem[]>;
}

export const problemSources = new Mark<ProblemSource>([ProblemSource], 'find problems');

/** Marks a provider whose problems are listed with those of the other modules. */
export function FindsProblems(): ClassDecorator {
  return problemSources.marks(true);
}

const MAX_NAME = 80;

/**
 * Writes a name that others chose into a sentence. Neither its quotes nor characters without a shape can end the name
 * or turn the text around.
 */
export function quoted(name: string): string {
  const plain = name.replace(/[“”]/g, '"').replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ');
  return `“${shortened(plain, MAX_NAME)}”`;
}

/** Counts things in words, such as `1 job` and `2 jobs`. */
export function counted(count: number, thing: string): string {
  return `${count.toLocaleString('en')} ${thing}${count === 1 ? '' : 's'}`;
}
