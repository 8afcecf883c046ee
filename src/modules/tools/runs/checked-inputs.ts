import { Injectable } from '@nestjs/common';
import type { Id } from '../../../kernel/ids.js';
import { CompiledTools } from '../definitions/compiled-tools.js';
import { InputChecks, type InputSchema } from '../documents/input-checks.js';
import type { InputIssue } from '../documents/input-schema.js';

/** What was seen of an input, by the schema of one version. */
export interface CheckedInput {
  versionId: Id<'toolVersion'>;
  issues: readonly InputIssue[];
}

/** It takes more than a moment to look at the input. */
class InputUnchecked extends Error {
  constructor(
    readonly versionId: Id<'toolVersion'>,
    readonly input: string,
  ) {
    super('The input was not yet looked at by the schema of this version');
  }
}

/** Looks at inputs of runs: what takes longer than a moment not within a transaction, which others wait for. */
@Injectable()
export class CheckedInputs {
  constructor(
    private readonly compiled: CompiledTools,
    private readonly checks: InputChecks,
  ) {}

  /** Begins something, and once more where its input has to be looked at first. */
  async begin<T>(
    projectId: Id<'project'>,
    begin: (checked?: CheckedInput) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    let checked: CheckedInput | undefined;
    for (;;) {
      try {
        return await begin(checked);
      } catch (error) {
        if (!(error instanceof InputUnchecked)) throw error;
        const { versionId, input } = error;
        const { inputSchema } = await this.compiled.of(versionId);
        checked = { versionId, issues: await this.checks.issues(inputSchema, input, projectId, signal) };
      }
    }
  }
}

/** Within what was begun: what is wrong with the input. */
export function issuesOf(
  schema: InputSchema,
  input: string,
  versionId: Id<'toolVersion'>,
  checked: CheckedInput | undefined,
): readonly InputIssue[] {
  if (checked?.versionId === versionId) return checked.issues;
  const issues = schema.issuesHere(input);
  if (issues) return issues;
  throw new InputUnchecked(versionId, input);
}
