import { Injectable } from '@nestjs/common';
import type { Id } from '../../../kernel/ids.js';
import { CompiledTools } from '../definitions/compiled-tools.js';
import { InputChecks, type InputSchema } from '../documents/input-checks.js';
import type { InputIssue } from '../documents/input-schema.js';

/** The issues of an input by the schema of one version. */
export interface CheckedInput {
  versionId: Id<'toolVersion'>;
  issues: readonly InputIssue[];
}

/** The input has to be checked in a compute thread first. */
class InputUnchecked extends Error {
  constructor(
    readonly versionId: Id<'toolVersion'>,
    readonly input: string,
  ) {
    super('The input has not been checked by the schema of this version');
  }
}

/** Checks inputs of runs. A slow check runs outside of the transaction, so that its locks are not kept meanwhile. */
@Injectable()
export class CheckedInputs {
  constructor(
    private readonly compiled: CompiledTools,
    private readonly checks: InputChecks,
  ) {}

  /**
   * Calls `begin`. If it throws because its input is unchecked, the input is checked and `begin` is called again with
   * the issues.
   */
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

/**
 * Returns the issues of the input, for use within `begin`. Throws if they have to be found in a compute thread first.
 */
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
